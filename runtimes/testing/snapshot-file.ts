/** Snapshots of test servers as files. They contain the server's generated keys and tokens. */
import { readFile, writeFile } from 'node:fs/promises'
import type { KeyValue } from '../../core/ports.ts'
import { storeSnapshot } from '../stores/forkable.ts'
import type { Secrets } from './secrets.ts'
import type { Snapshot } from './server.ts'

interface Saved {
  readonly format: 'apiserver-test-snapshot/1'
  /** Time of the server's clock when saved, in milliseconds since the epoch. */
  readonly time: number
  readonly revision: number
  readonly secrets: Secrets
  readonly leases: readonly { readonly id: string; readonly expires: number }[]
  readonly objects: readonly (Omit<KeyValue, 'value' | 'isStale'> & { readonly value: string; readonly lease?: string })[]
}

/** Writes a snapshot to a file with mode 0600. */
export async function saveSnapshot({ store, ahead, secrets }: Snapshot, path: string): Promise<void> {
  const { versions } = store.base
  const saved: Saved = {
    format: 'apiserver-test-snapshot/1',
    time: Date.now() + ahead,
    revision: versions.revision,
    secrets,
    leases: store.leases.map(({ id, expires }) => ({ id: String(id), expires })),
    objects: versions.list({ prefix: '' }).items.map(({ key, value, createRevision, modRevision }) => {
      const lease = store.attached.get(key)
      return { key, value: Buffer.from(value).toString('base64'), createRevision, modRevision, ...(lease && { lease: String(lease) }) }
    }),
  }
  await writeFile(path, JSON.stringify(saved), { mode: 0o600 })
}

/** Reads a snapshot. The clock of a server that starts from it continues at the time of saving, so that nothing expires in between. */
export async function readSnapshot(path: string): Promise<Snapshot> {
  const saved = JSON.parse(await readFile(path, 'utf8')) as Saved
  if (saved.format !== 'apiserver-test-snapshot/1') throw new Error(`${path} is not a snapshot of a test server`)
  const attached = new Map(saved.objects.flatMap(({ key, lease }) => (lease === undefined ? [] : [[key, BigInt(lease)] as const])))
  const leases = saved.leases.map(({ id, expires }) => ({ id: BigInt(id), expires }))
  const items = saved.objects.map(({ lease: _lease, ...kv }) => ({ ...kv, value: new Uint8Array(Buffer.from(kv.value, 'base64')) }))
  return { store: storeSnapshot(saved.revision, items, { leases, attached }), ahead: saved.time - Date.now(), secrets: saved.secrets }
}
