import { untilAborted } from '../common/abort.ts'
import type { WatchableStore } from '../objects/watch/feed.ts'
import type { Clock, Context } from '../ports.ts'

/** Resolves once an object of that name exists, or after a timeout in milliseconds. Rejects when the context ends. */
export async function whenCreated(
  store: WatchableStore,
  scope: { readonly namespace: string; readonly name: string },
  context: Context | undefined,
  clock: Clock,
  milliseconds: number,
): Promise<void> {
  const { entries, revision } = await store.list({ ...scope, ...(context && { context }) })
  if (entries.length > 0) return
  let done = () => {}
  const created = new Promise<void>((resolve) => {
    done = () => {
      cancel()
      subscription.close()
      resolve()
    }
    const subscription = store.subscribe(revision, scope, {
      changes(changes) {
        if (changes.some(({ deleted }) => !deleted)) done()
      },
      progress() {},
      end: () => done(),
    })
    const cancel = clock.after(milliseconds, () => done())
  })
  await (context ? untilAborted(created, context.signal, done) : created)
}
