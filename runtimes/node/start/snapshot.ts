/** `apiserver snapshot save|restore FILE`: the embedded store as a file, and back. */
import { existsSync } from 'node:fs'
import { FlagError } from '../../../core/flags/flag.ts'
import { parseFlags } from '../../../core/flags/parse.ts'
import type { restoreSnapshot, SnapshotInfo, saveSnapshot } from '../../stores/snapshot.ts'
import { nodeClock } from '../clock.ts'
import { keyDirectory } from '../pki/pki.ts'
import { inMemory } from './in-memory.ts'

const usage = 'use: snapshot save FILE or snapshot restore FILE, with --data-dir'
const formatFlag = '--format='
const formats = ['own', 'etcd'] as const
type Format = (typeof formats)[number]

/** The format of a file to save, and the other arguments. */
function formatOf(argv: readonly string[]): readonly [format: Format, rest: readonly string[]] {
  const given = argv.findLast((argument) => argument.startsWith(formatFlag))?.slice(formatFlag.length) ?? 'own'
  const format = formats.find((each) => each === given)
  if (format === undefined)
    throw new FlagError(`snapshot: --format: invalid value ${JSON.stringify(given)}: must be one of ${formats.join(', ')}`)
  return [format, argv.filter((argument) => !argument.startsWith(formatFlag))]
}

/** Runs the command with its arguments; resolves to a one-line summary. Rejects with a one-line error. */
export async function snapshot(argv: readonly string[], program: string): Promise<string> {
  const [format, [action, file, ...rest]] = formatOf(argv)
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
    const saved = `saved ${told(await saveSnapshot(directory, file, await writerOf(format)))} to ${file}`
    return existsSync(keys) ? `${saved}; it has no keys: save ${keys} too (certificate authority, key of service account tokens)` : saved
  }
  const restored = `restored ${told(await restoreSnapshot(file, directory, undefined, await readerOf(file)))} into ${directory}`
  return existsSync(keys)
    ? restored
    : `${restored}; copy the keys of the saved server to ${keys}, or its kubeconfigs and tokens are refused`
}

/** What writes a file of a format; undefined: the store's own. */
async function writerOf(format: Format): Promise<Parameters<typeof saveSnapshot>[2]> {
  if (format === 'own') return undefined
  const { writeSnapshot } = await import('../../etcd-server/database.ts')
  return (state, file) => writeSnapshot(state, file, nodeClock.now())
}

/** What reads a file, by its content; undefined: the store's own format, or no file. */
async function readerOf(file: string): Promise<Parameters<typeof restoreSnapshot>[3]> {
  const { isSnapshot, readSnapshot } = await import('../../etcd-server/database.ts')
  return existsSync(file) && isSnapshot(file) ? readSnapshot : undefined
}
