/** How many threads serve requests. */
import { availableParallelism } from 'node:os'
import { FlagError } from '../../../core/flags/flag.ts'
import type { ParsedFlags } from '../../../core/flags/parse.ts'

/** Number of workers that the flags ask for; 1: the main thread serves. Throws a FlagError on runtimes that have none. */
export function workerCount(flags: ParsedFlags): number {
  const count = flags.get('workers')
  if (count === 1) return 1
  const { bun, deno } = process.versions
  if (bun !== undefined || deno !== undefined) throw new FlagError('--workers: only Node has workers; on this runtime it must be 1')
  return count || availableParallelism()
}
