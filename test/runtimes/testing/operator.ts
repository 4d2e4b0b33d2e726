/** A small operator, correct or with a planted bug: each widget has a config map with its size, and one secret. */
import type { ObjectClient, TestServer } from '../../../runtimes/testing/index.ts'
import { widgetsIn } from './widgets.ts'

export type Bug = 'stale read' | 'missed delete' | 'crash between two writes' | 'write storm'

export const widgets = widgetsIn({ name: 'v1', subresources: { status: {} } })

export interface Widget {
  metadata: { name: string }
  spec: { size: string }
  status?: { failures?: number }
}

interface Owned {
  metadata: { name?: string; generateName?: string; labels: { widget: string } }
  data?: { size: string }
}

const initial = { sendInitialEvents: 'true', resourceVersionMatch: 'NotOlderThan', allowWatchBookmarks: 'true' }
const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))

/** Keeps a cache of a kind, as an informer does. */
async function follow<T extends { metadata: { name?: string } }>(
  client: ObjectClient<T>,
  cache: Map<string, T>,
  changed: (name: string) => void,
  signal: AbortSignal,
  listed?: () => Promise<void>,
): Promise<void> {
  while (!signal.aborted) {
    const left = new Set(cache.keys())
    let isComplete = false
    try {
      for await (const { type, object } of client.watch(initial, signal)) {
        const { name = '' } = object.metadata
        if (type === 'BOOKMARK') {
          // What was deleted while nobody watched.
          if (!isComplete && listed !== undefined) {
            for (const gone of left) if (cache.delete(gone)) changed(gone)
            await listed()
          }
          isComplete = true
          continue
        }
        left.delete(name)
        if (type === 'DELETED') cache.delete(name)
        else cache.set(name, object)
        changed(name)
      }
    } catch {
      // It is watched again.
    }
    await pause(1)
  }
}

/** Runs the operator until the signal aborts. */
export async function operate(server: TestServer, signal: AbortSignal, bug?: Bug): Promise<void> {
  const options = { user: { name: 'operator' } }
  const wanted = server.objects<Widget>('example.com/v1', 'Widget', options)
  const maps = server.objects<Owned>('v1', 'ConfigMap', options)
  const secrets = server.objects<Owned>('v1', 'Secret', options)
  const [widgets, known] = [new Map<string, Widget>(), new Map<string, Owned>()]
  const queue = new Set<string>()
  let failures = 0

  async function reconcile(name: string): Promise<void> {
    const widget = widgets.get(name)
    const labelSelector = `widget=${name}`
    if (widget === undefined) {
      for (const client of [maps, secrets])
        for (const { metadata } of await client.list({ labelSelector })) await client.delete(metadata.name ?? '')
      return
    }
    const { size } = widget.spec
    const labels = { widget: name }
    // The write itself is compared with the live object by the server; a decision not to write needs a live read.
    const found = bug === 'stale read' ? known.get(name) : (await maps.list({ labelSelector }))[0]
    if (found?.data?.size !== size) await maps.apply({ metadata: { name, labels }, data: { size } })
    if (bug === 'crash between two writes') {
      if ((found as Owned | undefined) === undefined) await secrets.create({ metadata: { generateName: `${name}-`, labels } })
    } else if ((await secrets.list({ labelSelector })).length === 0)
      await secrets.create({ metadata: { name: `${name}-secret`, labels } }).catch(ignoreExisting)
    if (bug === 'write storm' && failures > 0) await wanted.patch(name, { status: { failures: ++failures } }, 'status')
  }

  const changed = (name: string) => queue.add(name)
  const work = async () => {
    while (!signal.aborted) {
      const [name] = queue
      if (name === undefined) {
        await pause(1)
        continue
      }
      queue.delete(name)
      await reconcile(name).catch(async () => {
        failures++
        queue.add(name)
        await pause(2)
      })
    }
  }
  /** What widgets left that were deleted while this operator did not run. */
  const sweep = async () => {
    for (const client of [maps, secrets])
      for (const { metadata } of await client.list({ labelSelector: 'widget' }))
        if (!widgets.has(metadata.labels.widget)) queue.add(metadata.labels.widget)
  }
  const listed = bug === 'missed delete' ? undefined : sweep
  await Promise.all([follow(wanted, widgets, changed, signal, listed), follow(maps, known, () => undefined, signal), work()])
}

function ignoreExisting(error: { readonly reason?: string }): void {
  if (error.reason !== 'AlreadyExists') throw error
}
