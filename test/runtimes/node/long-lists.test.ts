/** Long lists in every encoding delay no small requests and take little memory. */
import assert from 'node:assert/strict'
import { availableParallelism, loadavg } from 'node:os'
import { after, before, test } from 'node:test'
import { type Daemon, startDaemon } from '../../support/daemon.ts'
import { residentMiB } from '../../support/memory.ts'
import { soak, trials } from '../../support/soak.ts'

const count = trials(2_000, 100_000)
/** MiB that a list may take beside its objects. The second bound is for short runs, in which the heap is small and still growing. */
const aim = 64
const bound = soak ? aim : 2 * aim
/** Milliseconds on an otherwise idle machine. */
const quietLatency = 25

const metadata = 'as=PartialObjectMetadataList;v=v1;g=meta.k8s.io'
const lists: readonly (readonly [name: string, query: string, accept: string])[] = [
  ['JSON', '', 'application/json'],
  ['pretty-printed JSON', '?pretty=1', 'application/json'],
  ['YAML', '', 'application/yaml'],
  ['protobuf', '', 'application/vnd.kubernetes.protobuf'],
  ['a table', '', 'application/json;as=Table;v=v1;g=meta.k8s.io'],
  ['metadata', '', `application/json;${metadata}`],
  ['metadata in protobuf', '', `application/vnd.kubernetes.protobuf;${metadata}`],
  ['by label', '?labelSelector=shard%3D3', 'application/json'],
  ['by field', '?fieldSelector=status.phase%3DPending', 'application/yaml'],
  ['compressed', '?resourceVersion=0', 'application/json'],
]

let daemon: Daemon
before(async () => {
  daemon = await startDaemon({ flags: ['--data-dir=:memory:', '--disable-admission-plugins=ServiceAccount', '--max-requests-inflight=0'] })
  const container = { name: 'web', image: 'registry.example.com/web:v1', ports: [{ containerPort: 80 }], env: [{ name: 'A', value: 'b' }] }
  for (let i = 0; i < count; i += 50)
    await Promise.all(
      Array.from({ length: 50 }, (_, n) =>
        create({ metadata: { name: `p${i + n}`, labels: { shard: `${n % 7}` } }, spec: { containers: [container] } }),
      ),
    )
})
after(() => daemon.stop())

const pods = '/api/v1/namespaces/default/pods'
async function create(pod: object): Promise<void> {
  const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(pod) }
  const response = await daemon.fetch(pods, init)
  assert.equal(response.status, 201, await response.text())
}

/** Reads a list to its end, discarding it; returns its size in bytes. */
async function read([name, query, accept]: (typeof lists)[number]): Promise<number> {
  const headers = { accept, ...(name === 'compressed' && { 'accept-encoding': 'gzip' }) }
  const response = await daemon.fetch(`${pods}${query}`, { headers })
  assert.equal(response.status, 200, name)
  let size = 0
  for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) size += chunk.length
  return size
}

const memory = () => residentMiB(daemon.pid)

/** Gets pods one after the other while `work` runs. Times in milliseconds, memory in MiB. */
async function beside(work: () => Promise<unknown>) {
  const started = performance.now()
  const before = memory()
  let most = 0
  let ended = false
  const done = work().finally(() => {
    ended = true
  })
  const latencies: number[] = []
  while (!ended) {
    const asked = performance.now()
    const response = await daemon.fetch(`${pods}/p1`)
    await response.arrayBuffer()
    latencies.push(performance.now() - asked)
    most = Math.max(most, memory() - before)
  }
  await done
  latencies.sort((a, b) => a - b)
  const at = (share: number) => Math.round(latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * share))] ?? 0)
  return { took: Math.round(performance.now() - started), gets: latencies.length, p99: at(0.99), longest: at(1), most: Math.round(most) }
}

const isQuiet = () => (loadavg()[0] ?? 0) <= availableParallelism()

for (const list of soak ? lists : [])
  test(`memory of one list: ${list[0]}`, async (t) => {
    const seen = await beside(() => read(list))
    t.diagnostic(JSON.stringify(seen))
    assert.ok(seen.most <= bound, `${seen.most} MiB`)
  })

test(`ten concurrent lists of ${count}`, async (t) => {
  let seen = await beside(() => Promise.all(lists.map(read)))
  // Other processes may cause a single pause; the lists would cause one in each attempt.
  for (let looks = 1; looks < 4 && seen.longest * 4 >= seen.took; looks++) {
    t.diagnostic(JSON.stringify(seen))
    seen = await beside(() => Promise.all(lists.map(read)))
  }
  t.diagnostic(JSON.stringify(seen))
  assert.ok(seen.longest * 4 < seen.took, `a GET took ${seen.longest} of ${seen.took} ms`)
  assert.ok(seen.most <= 2 * bound, `${seen.most} MiB`)
  if (soak && isQuiet()) assert.ok(seen.p99 <= quietLatency, `p99 ${seen.p99} ms`)
  else t.diagnostic(`p99 is only judged in long runs on a quiet machine (load ${loadavg()[0]?.toFixed(1)})`)
})
