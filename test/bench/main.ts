/** `npm run bench`: what the server does, as a share of what the runtime and the engine can do at best, measured in the same run. */
import { readFileSync } from 'node:fs'
import { request } from 'node:https'
import { apiRows } from './api-rows.ts'
import { enginePuts, startBare } from './bare.ts'
import { type BenchDaemon, residentMemory, startDaemon } from './daemon.ts'
import { load } from './load.ts'
import { fanOut } from './watchers.ts'

const rounds = Number(process.env['ROUNDS'] ?? 3)
const seconds = Number(process.env['SECONDS'] ?? 2)
const port = 20_000 + (process.pid % 20_000)

interface Row {
  readonly name: string
  readonly ours: string
  readonly limit: string
  readonly ratio?: number
  readonly aim: string
}

function call(
  daemon: BenchDaemon,
  method: string,
  path: string,
  body?: object,
): Promise<{ headers: Record<string, string>; body: string }> {
  const { url, ca, cert, key } = daemon
  return new Promise((resolve, reject) => {
    const sent = request(`${url}${path}`, { method, ca, cert, key, headers: { 'content-type': 'application/json' } }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('end', () => resolve({ headers: response.headers as Record<string, string>, body: Buffer.concat(chunks).toString() }))
    })
    sent.on('error', reject)
    sent.end(body && JSON.stringify(body))
  })
}

const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
const perSecond = (value: number) => `${Math.round(value).toLocaleString('en')}/s`

function configMap(name: string) {
  return { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name, labels: { app: 'bench' } }, data: { text: 'x'.repeat(700) } }
}

/** Alternates between the two, so that both see the same machine. */
async function compare(name: string, aim: string, ours: () => Promise<number>, limit: () => Promise<number>): Promise<Row> {
  const pairs: [number, number][] = []
  for (let round = 0; round < rounds; round++) pairs.push([await ours(), await limit()])
  return {
    name,
    ours: perSecond(median(pairs.map(([value]) => value))),
    limit: perSecond(median(pairs.map(([, value]) => value))),
    ratio: median(pairs.map(([a, b]) => a / b)),
    aim,
  }
}

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

const rows: Row[] = []
rows.push(await compare('GET one config map', '≥ 0.6', ...both(one, 32)))
rows.push(await compare('LIST 1,000', '≥ 0.8', ...both(many, 8)))
const body = JSON.stringify(configMap('{n}'))
rows.push(
  await compare(
    'CREATE, 32 writers, durable',
    '≥ 0.5 of the engine',
    () =>
      measure({
        ...client,
        url,
        ca,
        method: 'POST',
        path: collection,
        body,
        connections: 32,
        headers: { 'content-type': 'application/json' },
      }),
    () => enginePuts(32, seconds, Buffer.from(body)),
  ),
)
rows.push(await fanOut(daemon, bare, { watchers: 200, events: 300, rounds }))
rows.push({ name: 'memory after start', ours: `${memory.toFixed(0)} MiB`, limit: '', aim: '< 120 MiB' })
rows.push({ name: 'exec to serving', ours: `${daemon.startMilliseconds.toFixed(0)} ms`, limit: '', aim: '< 1,000 ms' })

bare.stop()
await daemon.stop()
rows.push(...(await apiRows(compare, seconds, port + 1)))

const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string }
console.log(`apiserver ${version}, node ${process.version}, medians of ${rounds} rounds of ${seconds} s\n`)
console.log('| | ours | limit | ratio | aim |\n| --- | --- | --- | --- | --- |')
for (const { name, ours, limit, ratio, aim } of rows) console.log(`| ${name} | ${ours} | ${limit} | ${ratio?.toFixed(2) ?? ''} | ${aim} |`)
