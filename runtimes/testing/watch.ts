/** Watch events as an async iterator. */
import { ApiFailure } from './failure.ts'
import type { Fetch, TestObject } from './server.ts'

export interface WatchEvent<T extends object = TestObject> {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK'
  readonly object: T
}

/**
 * The events at a collection's path; `query` as in the API: `resourceVersion`, `labelSelector` and so on. Leaving the `for await` loop, or aborting
 * `signal`, ends the watch. An ERROR event is thrown as an ApiFailure.
 */
export async function* watchPath<T extends object>(
  fetch: Fetch,
  path: string,
  query: { readonly [name: string]: string } = {},
  signal?: AbortSignal,
): AsyncGenerator<WatchEvent<T>, void, undefined> {
  const leaving = new AbortController()
  const ends = signal ? AbortSignal.any([signal, leaving.signal]) : leaving.signal
  try {
    const response = await fetch(`${path}?${new URLSearchParams({ watch: 'true', ...query })}`, { signal: ends })
    if (!response.ok || response.body === null) throw await ApiFailure.of(response, `watch of ${path}`)
    yield* readEvents<T>(response.body, ends)
  } finally {
    leaving.abort()
  }
}

async function* readEvents<T extends object>(
  body: ReadableStream<Uint8Array>,
  ends: AbortSignal,
): AsyncGenerator<WatchEvent<T>, void, undefined> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  const ended = new Promise<undefined>((resolve) => ends.addEventListener('abort', () => resolve(undefined), { once: true }))
  let partial = ''
  try {
    for (;;) {
      const part = await Promise.race([reader.read().catch(() => undefined), ended])
      if (part === undefined || part.done) return
      const [first = '', ...others] = decoder.decode(part.value, { stream: true }).split('\n')
      partial += first
      for (const start of others) {
        const line = partial
        partial = start
        const event = JSON.parse(line) as { readonly type: string; readonly object: T & { readonly code?: number } }
        if (event.type === 'ERROR') throw new ApiFailure(event.object.code ?? 500, { ...event.object }, 'watch')
        yield event as WatchEvent<T>
      }
    }
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}
