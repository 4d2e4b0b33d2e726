/** Reads the JSON stream of a watch, event by event. */
import assert from 'node:assert/strict'
import type { Status } from '../../core/answers/status.ts'
import type { TestObject } from './api.ts'
import type { Fetch } from './tls-fetch.ts'
import { within } from './wait.ts'

export type WatchEvent =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK'; readonly object: TestObject }
  | { readonly type: 'ERROR'; readonly object: Status }

export interface WatchReader {
  /** The next event; undefined at the end of the watch. Rejects after a timeout. */
  next(): Promise<WatchEvent | undefined>
  /** The next event, which must not be ERROR. */
  object(): Promise<Exclude<WatchEvent, { type: 'ERROR' }>>
  /** Events up to and including the first for which `last` is true. */
  until(last: (event: WatchEvent) => boolean): Promise<WatchEvent[]>
  /** All events until the end of the watch. */
  rest(): Promise<WatchEvent[]>
  /** Disconnects, as a client does. */
  close(): Promise<void>
}

/** Starts a watch of the path; `query` without the parameter `watch`. */
export async function watchAt(fetch: Fetch, path: string, query: { readonly [name: string]: string } = {}): Promise<WatchReader> {
  const abort = new AbortController()
  const search = new URLSearchParams({ watch: 'true', ...query })
  const response = await within(`watch of ${path}`, fetch(`${path}?${search}`, { signal: abort.signal }))
  if (response.status !== 200) assert.fail(`watch of ${path}: ${response.status} ${await response.text()}`)
  assert.equal(response.headers.get('content-type'), 'application/json')
  assert(response.body)
  return readWatch(response.body, () => abort.abort(), path)
}

export function readWatch(body: ReadableStream<Uint8Array>, abort: () => void, path = ''): WatchReader {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  const ready: WatchEvent[] = []
  let partial = ''

  async function next(): Promise<WatchEvent | undefined> {
    while (ready.length === 0) {
      const { done, value } = await within(`event of ${path}`, reader.read())
      if (done) {
        assert.equal(partial, '', 'the watch ends with half an event')
        return undefined
      }
      const [first = '', ...others] = decoder.decode(value, { stream: true }).split('\n')
      partial += first
      for (const start of others) {
        ready.push(JSON.parse(partial) as WatchEvent)
        partial = start
      }
    }
    return ready.shift()
  }

  async function until(last: (event: WatchEvent) => boolean): Promise<WatchEvent[]> {
    const seen: WatchEvent[] = []
    for (;;) {
      const event = await next()
      assert(event, `the watch ended before the event that was awaited, after ${seen.length} events`)
      seen.push(event)
      if (last(event)) return seen
    }
  }

  return {
    next,
    until,
    async object() {
      const event = await next()
      assert(event, 'the watch has ended')
      assert(event.type !== 'ERROR', JSON.stringify(event.object))
      return event
    },
    async rest() {
      const seen: WatchEvent[] = []
      for (let event = await next(); event !== undefined; event = await next()) seen.push(event)
      return seen
    },
    async close() {
      abort()
      await reader.cancel().catch(() => undefined)
    },
  }
}
