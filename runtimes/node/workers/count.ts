/** How many threads serve requests. */
import { availableParallelism } from 'node:os'
import type { ParsedFlags } from '../../../core/flags/parse.ts'

/** Number of workers that the flags ask for; 1: the main thread serves. */
export function workerCount(flags: ParsedFlags): number {
  const count = flags.get('workers')
  return count || availableParallelism()
}
