/** Memory of idle watches: node agents' and others', over few HTTP/2 connections. */
import { Client, Connections } from './cluster/client.ts'
import { inParallel } from './cluster/pace.ts'
import { type MeasuredServer, startServer } from './cluster/servers.ts'
import type { Row } from './row.ts'

const count = Number(process.env['WATCHES'] ?? 10_000)
/** Watches that are being opened at a time. */
const opening = 64

type Watch = (index: number) => { readonly user?: string; readonly path: string }

/** The ways to watch that are measured. */
const watches: { readonly [name: string]: Watch } = {
  'one config map each': (index) => ({ path: `/api/v1/namespaces/default/configmaps?fieldSelector=metadata.name%3Dname-${index}` }),
  'the pods of a node each, as its agent': (index) => ({
    user: `system:node:node-${index}`,
    path: `/api/v1/pods?fieldSelector=spec.nodeName%3Dnode-${index}`,
  }),
}

async function bytesPerWatch(server: MeasuredServer, watch: Watch): Promise<string> {
  const connections = new Connections(server.url)
  await connections.open()
  const admin = new Client(connections, server)
  const failures: Error[] = []
  const open = (index: number) => {
    const { user, path } = watch(index)
    const client = user === undefined ? admin : new Client(connections, server, user, 'system:nodes')
    return client.watch(
      `${path}&watch=true&allowWatchBookmarks=true&resourceVersion=1`,
      () => {},
      () => {},
    )
  }
  // Code is compiled, caches are filled.
  await inParallel(500, opening, (index) => open(count + index))
  const before = await server.probe!.memory()
  await inParallel(count, opening, open)
  const after = await server.probe!.memory()
  const [failure] = failures
  if (failure) throw failure
  connections.close()
  const each = (of: 'heapUsed' | 'external' | 'rss') => ((after[of] - before[of]) / count / 1000).toFixed(1)
  return `${each('heapUsed')} kB of heap, ${each('external')} kB outside, ${each('rss')} kB resident`
}

/** Measures all rows of this file. */
export async function watchRows(): Promise<Row[]> {
  const rows: Row[] = []
  for (const [name, watch] of Object.entries(watches)) {
    const server = await startServer('this')
    try {
      rows.push({ name: `an idle watch: ${name}`, ours: await bytesPerWatch(server, watch), limit: '', aim: '≤ 5 kB' })
    } finally {
      await server.stop()
    }
  }
  return rows
}
