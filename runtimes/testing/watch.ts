/** Watch events as an async iterator. */
import { type ChunkReader, chunksOf, type Send, taken } from '../call.ts'
import { ApiFailure } from './failure.ts'
import type { Fetch, TestObject } from './server.ts'

export interface WatchEvent<T extends object = TestObject> {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK'
  readonly object: T
}

type Events<T extends object> = AsyncGenerator<WatchEvent<T>, void, undefined>

type Query = { readonly [name: string]: string }

/** Path and query of a watch. */
const targetOf = (path: string, query: Query) => `${path}?${new URLSearchParams({ watch: 'true', ...query })}`

/**
 * The events at a collection's path; `query` as in the API: `resourceVersion`, `labelSelector` and so on. Leaving the `for await` loop, or aborting
 * `signal`, ends the watch. An ERROR event is thrown as an ApiFailure.
 */
export async function* watchPath<T extends object>(fetch: Fetch, path: string, query: Query = {}, signal?: AbortSignal): Events<T> {
  const leaving = new AbortController()
  const ends = signal ? AbortSignal.any([signal, leaving.signal]) : leaving.signal
  try {
    yield* eventsOf<T>(fetch(targetOf(path, query), { signal: ends }), path, ends)
  } finally {
    leaving.abort()
  }
}

/** As `watchPath`, of a server in this process. */
export async function* watchCollection<T extends object>(send: Send, path: string, query: Query = {}, signal?: AbortSignal): Events<T> {
  yield* eventsOf<T>(send({ method: 'GET', target: targetOf(path, query), signal }), path, signal)
}

async function* eventsOf<T extends object>(sending: Promise<Response>, path: string, ends: AbortSignal | undefined): Events<T> {
  // Whether the answer came before the end is chance, as for `until` on a busy machine.
  const response = await sending.catch((error: unknown) => {
    if (!ends?.aborted) throw error
  })
  if (response === undefined) return
  const reader = response.ok ? chunksOf(response) : undefined
  if (reader === undefined) {
    const refused = await ApiFailure.of(response, `watch of ${path}`)
    taken(response)
    throw refused
  }
  const cancel = () => reader.cancel()
  if (ends?.aborted) cancel()
  ends?.addEventListener('abort', cancel, { once: true })
  try {
    yield* readEvents<T>(reader, ends)
  } finally {
    ends?.removeEventListener('abort', cancel)
    cancel()
  }
}

async function* readEvents<T extends object>(reader: ChunkReader, ends: AbortSignal | undefined): Events<T> {
  const decoder = new TextDecoder()
  let partial = ''
  for (;;) {
    const bytes = await reader.read()
    if (bytes === undefined || ends?.aborted) return
    const [first = '', ...others] = decoder.decode(bytes, { stream: true }).split('\n')
    partial += first
    for (const start of others) {
      const line = partial
      partial = start
      const event = JSON.parse(line) as { readonly type: string; readonly object: T & { readonly code?: number } }
      if (event.type === 'ERROR') throw new ApiFailure(event.object.code ?? 500, { ...event.object }, 'watch')
      yield event as WatchEvent<T>
    }
  }
}
