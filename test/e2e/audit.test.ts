/** The program writes audit events to its log, to standard output and to a webhook, and loses none when it ends. */
import assert from 'node:assert/strict'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { runProgram, startDaemon } from '../support/daemon.ts'
import { temporaryDirectory } from '../support/temporary.ts'
import { eventually } from '../support/wait.ts'

interface Event {
  readonly auditID: string
  readonly stage: string
  readonly level: string
  readonly user: { readonly username: string }
  readonly sourceIPs: readonly string[]
}

function directoryOf(t: TestContext): string {
  const { path, remove } = temporaryDirectory('audit')
  t.after(remove)
  return path
}

/** A policy file that records the requests of the administrator. */
function policyIn(directory: string, apiVersion = 'audit.k8s.io/v1'): string {
  const path = join(directory, 'policy.yaml')
  writeFileSync(path, `apiVersion: ${apiVersion}\nkind: Policy\nrules:\n- level: RequestResponse\n  userGroups: ['system:masters']\n`)
  return path
}

const eventsOf = (text: string) =>
  text
    .split('\n')
    .filter((line) => line.startsWith('{"kind":"Event"'))
    .map((line) => JSON.parse(line) as Event)
const stagesOf = (events: readonly Event[], id: string) => events.filter(({ auditID }) => auditID === id).map(({ stage }) => stage)
const configMap = (name: string) => ({
  method: 'POST',
  headers: { 'content-type': 'application/json', 'audit-id': name },
  body: JSON.stringify({ metadata: { name } }),
})
const configMaps = '/api/v1/namespaces/default/configmaps'

test('a log file in mode batch has all events when the program has ended', async (t) => {
  const directory = directoryOf(t)
  const log = join(directory, 'logs', 'audit.log')
  const daemon = await startDaemon({
    flags: [
      `--audit-policy-file=${policyIn(directory)}`,
      `--audit-log-path=${log}`,
      '--audit-log-mode=batch',
      '--audit-log-batch-max-size=1000',
      '--audit-log-batch-max-wait=1h',
    ],
  })
  const watch = await daemon.fetch(`${configMaps}?watch=true`, { headers: { 'audit-id': 'watch' } })
  for (const name of ['a', 'b']) assert.equal((await daemon.fetch(configMaps, configMap(name))).status, 201)
  const ended = watch.text().catch(() => undefined)
  await daemon.stop()
  await ended
  const events = eventsOf(readFileSync(log, 'utf8'))
  for (const name of ['a', 'b']) assert.deepEqual(stagesOf(events, name), ['RequestReceived', 'ResponseComplete'])
  assert.deepEqual(stagesOf(events, 'watch'), ['RequestReceived', 'ResponseStarted', 'ResponseComplete'])
  const [event] = events.filter(({ auditID }) => auditID === 'a')
  assert.deepEqual([event?.level, event?.sourceIPs], ['RequestResponse', ['127.0.0.1']])
})

test('a log file that was rotated, and compressed', async (t) => {
  const directory = directoryOf(t)
  const log = join(directory, 'audit.log')
  const daemon = await startDaemon({
    flags: [
      `--audit-policy-file=${policyIn(directory)}`,
      `--audit-log-path=${log}`,
      '--audit-log-maxsize=1',
      '--audit-log-maxbackup=1',
      '--audit-log-compress',
      '--audit-log-format=legacy',
    ],
  })
  t.after(() => daemon.stop())
  const path = `${configMaps}?fieldManager=${'x'.repeat(7_000)}`
  for (let sent = 0; sent < 400; sent++) await (await daemon.fetch(path)).text()
  const text = readFileSync(log, 'utf8')
  assert(text.length < 1024 * 1024)
  assert.match(text, /^[\dT:.-]+Z AUDIT: id="[^"]+" stage="\w+" ip="127\.0\.0\.1" method="list"/)
})

test('standard output', async (t) => {
  const directory = directoryOf(t)
  const daemon = await startDaemon({ flags: [`--audit-policy-file=${policyIn(directory)}`, '--audit-log-path=-'] })
  t.after(() => daemon.stop())
  await (await daemon.fetch('/version', { headers: { 'audit-id': 'version' } })).text()
  await eventually('the events', async () => stagesOf(eventsOf(daemon.output()), 'version').length === 2)
})

test('a webhook gets lists of events, the last ones at the end', async (t) => {
  const directory = directoryOf(t)
  const received: Event[] = []
  const hook = createServer(async (request, response) => {
    let text = ''
    for await (const chunk of request.setEncoding('utf8')) text += chunk
    received.push(...(JSON.parse(text) as { items: Event[] }).items)
    response.end()
  })
  await new Promise<void>((resolve) => hook.listen(0, '127.0.0.1', resolve))
  t.after(() => hook.close())
  const connection = join(directory, 'hook.yaml')
  const server = `http://127.0.0.1:${(hook.address() as AddressInfo).port}/events`
  writeFileSync(
    connection,
    JSON.stringify({
      'current-context': 'c',
      contexts: [{ name: 'c', context: { cluster: 'c', user: '' } }],
      clusters: [{ name: 'c', cluster: { server } }],
    }),
  )
  const daemon = await startDaemon({
    flags: [`--audit-policy-file=${policyIn(directory)}`, `--audit-webhook-config-file=${connection}`, '--audit-webhook-batch-max-size=2'],
  })
  await daemon.fetch(configMaps, configMap('a'))
  await eventually('a batch', async () => stagesOf(received, 'a').length === 2)
  const { status } = await daemon.fetch('/version', { headers: { 'audit-id': 'last' } })
  assert.equal(status, 200)
  await daemon.stop()
  assert.deepEqual(stagesOf(received, 'last'), ['RequestReceived', 'ResponseComplete'])
})

test('a log that can not be opened, and a policy that can not be used, end the start', async (t) => {
  const directory = directoryOf(t)
  const start = (...flags: string[]) =>
    runProgram([`--cert-dir=${directory}/pki`, '--data-dir=:memory:', '--secure-port=1', '--bind-address=127.0.0.1', ...flags])
  const refused = await start(`--audit-policy-file=${policyIn(directory)}`, '--audit-log-path=/dev/null/audit.log')
  assert.deepEqual([refused.code, refused.stderr.split(': ')[1]], [1, '--audit-log-path'])
  const other = await start(`--audit-policy-file=${policyIn(directory, 'audit.k8s.io/v2')}`, '--audit-log-path=-')
  assert.equal(other.code, 1)
  assert.match(other.stderr, /--audit-policy-file.*no kind "Policy" is registered for version "audit\.k8s\.io\/v2"/)
  assert(!existsSync(join(directory, 'audit.log')))
})
