/** workerd tells a response that its client has left when the next bytes are sent. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { ServerOptions } from '../../../runtimes/edge/index.ts'
import { startEdge } from '../../conformance/edge.ts'
import { startPlain } from '../../support/plain-server.ts'
import { root } from '../../support/root.ts'
import { without } from '../../support/runtimes.ts'
import type { Fetch } from '../../support/tls-fetch.ts'
import { eventually } from '../../support/wait.ts'

const clients = 100

/** Watches of config maps that the server has. */
async function watches(fetch: Fetch): Promise<number> {
  const text = await (await fetch('/metrics')).text()
  const lines = text.matchAll(/^apiserver_longrunning_requests\{[^}]*resource="configmaps"[^}]*\} (\d+)$/gm)
  return [...lines].reduce((sum, [, count]) => sum + Number(count), 0)
}

describe(`watches of ${clients} clients that have left`, { skip: without('workerd'), concurrency: true }, () => {
  const cases: readonly { readonly title: string; readonly query: string; readonly options: ServerOptions }[] = [
    {
      title: 'end with the next bookmark, in a cluster without changes',
      query: 'allowWatchBookmarks=true',
      options: { minRequestTimeout: 3_600 },
    },
    { title: 'end with their time, without bookmarks', query: '', options: { minRequestTimeout: 20 } },
  ]
  const servers = [
    ...cases.map(({ title, query, options }) => ({ title, query, start: () => startEdge(options) })),
    {
      title: 'end with the next bookmark in a worker with its store in memory',
      query: 'allowWatchBookmarks=true',
      start: () => startPlain([process.execPath, '--import', 'tsx', `${root}wrangler-free-examples/workerd-run.ts`]),
    },
  ]
  for (const { title, query, start } of servers) {
    test(title, async () => {
      const { fetch, close } = await start()
      try {
        const left = new AbortController()
        const opened = await Promise.all(
          Array.from({ length: clients }, () => fetch(`/api/v1/configmaps?watch=true&${query}`, { signal: left.signal })),
        )
        assert(opened.every(({ status }) => status === 200))
        assert((await watches(fetch)) >= clients)
        left.abort()
        await eventually('no watch is left', async () => (await watches(fetch)) === 0, 70_000)
      } finally {
        await close()
      }
    })
  }
})
