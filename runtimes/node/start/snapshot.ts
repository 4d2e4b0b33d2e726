/** `apiserver snapshot save|restore FILE`: the embedded store as a file, and back. */
import { existsSync } from 'node:fs'
import { FlagError } from '../../../core/flags/flag.ts'
import { parseFlags } from '../../../core/flags/parse.ts'
import type { SnapshotInfo } from '../../stores/snapshot.ts'
import { keyDirectory } from '../pki/pki.ts'
import { inMemory } from './store.ts'

const usage = 'use: snapshot save FILE or snapshot restore FILE, with --data-dir'

/** Runs the command with its arguments; resolves to a one-line summary. Rejects with a one-line error. */
export async function snapshot([action, file, ...rest]: readonly string[], program: string): Promise<string> {
  if ((action !== 'save' && action !== 'restore') || file === undefined || file.startsWith('-')) throw new FlagError(usage)
  const flags = parseFlags(rest, program)
  const servers = 'kvstore-servers'
  if (flags.isSet(servers)) throw new FlagError(`snapshot: ${flags.spelling(servers)}: save and restore such a store with its own tools`)
  const directory = flags.get('data-dir')
  if (directory === inMemory) throw new FlagError(`snapshot: --data-dir ${inMemory} is not on disk: there is nothing to save or restore`)
  const { saveSnapshot, restoreSnapshot } = await import('../../stores/snapshot.ts')
  const told = ({ revision, objects }: SnapshotInfo) => `${objects} keys at revision ${revision}`
  const keys = keyDirectory(directory)
  if (action === 'save') {
    const saved = `saved ${told(await saveSnapshot(directory, file))} to ${file}`
    return existsSync(keys) ? `${saved}; it has no keys: save ${keys} too (certificate authority, key of service account tokens)` : saved
  }
  const restored = `restored ${told(await restoreSnapshot(file, directory))} into ${directory}`
  return existsSync(keys)
    ? restored
    : `${restored}; copy the keys of the saved server to ${keys}, or its kubeconfigs and tokens are refused`
}
