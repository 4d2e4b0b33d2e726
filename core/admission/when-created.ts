import type { Clock } from '../ports.ts'
import type { WatchableStore } from '../watch/feed.ts'

/** Resolves once an object of that name exists, or after a timeout in milliseconds. */
export async function whenCreated(
  store: WatchableStore,
  scope: { readonly namespace: string; readonly name: string },
  clock: Clock,
  milliseconds: number,
): Promise<void> {
  const { entries, revision } = await store.list(scope)
  if (entries.length > 0) return
  await new Promise<void>((resolve) => {
    const done = () => {
      cancel()
      subscription.close()
      resolve()
    }
    const subscription = store.subscribe(revision, scope, {
      changes(changes) {
        if (changes.some(({ deleted }) => !deleted)) done()
      },
      progress() {},
      end: done,
    })
    const cancel = clock.after(milliseconds, done)
  })
}
