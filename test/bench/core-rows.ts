/** Rows for single objects, lists, durable writes, fan-out, memory and start. */
import type { Compare } from './api-rows.ts'
import { bareAppends, startBare } from './bare.ts'
import { call } from './call.ts'
import { residentMemory, startDaemon } from './daemon.ts'
import { load } from './load.ts'
import type { Row } from './row.ts'
import { fanOut } from './watchers.ts'

function configMap(name: string) {
  return { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name, labels: { app: 'bench' } }, data: { text: 'x'.repeat(700) } }
}

/** Measures all rows of this file with a daemon on its durable store. */
export async function coreRows(compare: Compare<Row>, seconds: number, port: number): Promise<Row[]> {
  const daemon = await startDaemon(port)
  const memory = residentMemory(daemon.pid)
  const collection = '/api/v1/namespaces/default/configmaps'
  await call(daemon, 'POST', '/api/v1/namespaces', { metadata: { name: 'many' } })
  await call(daemon, 'POST', collection, configMap('one'))
  await Promise.all(
    Array.from({ length: 1000 }, (_, index) => call(daemon, 'POST', '/api/v1/namespaces/many/configmaps', configMap(`object-${index}`))),
  )
  const one = `${collection}/one`
  const many = '/api/v1/namespaces/many/configmaps?labelSelector=app%3Dbench'
  const answers = { [one]: await call(daemon, 'GET', one), [many]: await call(daemon, 'GET', many) }
  const bare = await startBare({ cert: daemon.cert, key: daemon.key, answers })
  const { url, ca, cert, key } = daemon
  const client = { seconds, cert, key }
  const measure = async (options: Parameters<typeof load>[0]) => {
    const { requestsPerSecond, failures } = await load(options)
    if (failures > 0) throw new Error(`${failures} requests failed: ${options.method ?? 'GET'} ${options.path}`)
    return requestsPerSecond
  }
  const both = (path: string, connections: number) =>
    [() => measure({ ...client, url, ca, path, connections }), () => measure({ ...client, url: bare.url, path, connections })] as const
  const body = JSON.stringify(configMap('{n}'))
  const write = { method: 'POST', path: collection, body, connections: 32, headers: { 'content-type': 'application/json' } }
  const rows: Row[] = [
    await compare('GET one config map', '≥ 0.6', ...both(one, 32)),
    await compare('LIST 1,000', '≥ 0.8', ...both(many, 8)),
    await compare(
      'CREATE, 32 writers, durable',
      '',
      () => measure({ ...client, url, ca, ...write }),
      () => bareAppends(32, seconds, Buffer.from(body)),
    ),
    await fanOut(daemon, bare, { watchers: 200, events: 300, rounds: 3 }),
    { name: 'memory after start', ours: `${memory.toFixed(0)} MiB`, limit: '', aim: '< 120 MiB' },
    { name: 'exec to serving', ours: `${daemon.startMilliseconds.toFixed(0)} ms`, limit: '', aim: '< 1,000 ms' },
  ]
  bare.stop()
  await daemon.stop()
  return rows
}
