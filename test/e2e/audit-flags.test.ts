/** Each flag of audit, seen from outside: in the files, at the webhook, in metrics, in answers, or in the error of a start. */
import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { auditLogFlags } from '../../core/flags/rows/audit-log.ts'
import { auditWebhookFlags } from '../../core/flags/rows/audit-webhook.ts'
import { type Daemon, runProgram, startDaemon } from '../support/daemon.ts'
import { temporaryDirectory } from '../support/temporary.ts'
import { eventually } from '../support/wait.ts'

type FlagName = keyof typeof auditLogFlags | keyof typeof auditWebhookFlags

interface Event {
  readonly apiVersion?: string
  readonly auditID: string
  readonly annotations?: { readonly [name: string]: string }
  readonly requestObject?: object
}

interface Hook {
  /** The events of each post, in order of arrival. */
  readonly posts: readonly { readonly apiVersion: string; readonly items: readonly Event[] }[]
  /** Path of the connection file. */
  readonly file: string
  /** Answers this many posts with 500. */
  refuse(posts: number): void
}

interface Audited {
  readonly daemon: Daemon
  readonly directory: string
  /** Creates config maps with these names, one after the other; each has one event. Returns the status of the last one. */
  create(...names: string[]): Promise<number>
  /** The events in the log. */
  logged(): readonly Event[]
  names(events: readonly Event[]): readonly string[]
  /** The sum of a metric. */
  count(metric: string): Promise<number>
}

const configMaps = '/api/v1/namespaces/default/configmaps'
const names = (events: readonly Event[]) => events.map(({ auditID }) => auditID)
/** Long enough that nothing is written because of it. */
const never = '1h'

function directoryOf(t: TestContext): string {
  const { path, remove } = temporaryDirectory('audit-flags')
  t.after(remove)
  writeFileSync(
    join(path, 'policy.yaml'),
    `apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
- level: RequestResponse
  verbs: [create]
  namespaces: [default]
  resources: [{group: '', resources: [configmaps]}]
- level: None
`,
  )
  return path
}

async function startHook(t: TestContext, directory: string): Promise<Hook> {
  const posts: Hook['posts'][number][] = []
  let refusals = 0
  const server = createServer(async (request, response) => {
    let text = ''
    for await (const chunk of request.setEncoding('utf8')) text += chunk
    posts.push(JSON.parse(text) as Hook['posts'][number])
    response.writeHead(refusals-- > 0 ? 500 : 200).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => server.close())
  const file = join(directory, 'hook.json')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/events`
  const contexts = [{ name: 'c', context: { cluster: 'c', user: '' } }]
  writeFileSync(file, JSON.stringify({ 'current-context': 'c', contexts, clusters: [{ name: 'c', cluster: { server: url } }] }))
  return {
    posts,
    file,
    refuse(count) {
      refusals = count
    },
  }
}

async function start(t: TestContext, directory: string, flags: readonly string[]): Promise<Audited> {
  const path = join(directory, 'audit.log')
  const daemon = await startDaemon({
    flags: ['--data-dir=:memory:', '--controllers=', `--audit-policy-file=${join(directory, 'policy.yaml')}`, ...flags],
  })
  t.after(() => daemon.stop())
  return {
    daemon,
    directory,
    names,
    async create(...all) {
      let status = 0
      for (const name of all) {
        const body = JSON.stringify({ metadata: { name }, data: { text: name.startsWith('large') ? 'x'.repeat(3_000) : '' } })
        const response = await daemon.fetch(configMaps, {
          method: 'POST',
          headers: { 'content-type': 'application/json', 'audit-id': name },
          body,
        })
        status = response.status
        await response.text()
      }
      return status
    },
    logged: () =>
      existsSync(path)
        ? readFileSync(path, 'utf8')
            .split('\n')
            .slice(0, -1)
            .map((line) => JSON.parse(line) as Event)
        : [],
    async count(metric) {
      const text = await (await daemon.fetch('/metrics')).text()
      return text.split('\n').reduce((sum, line) => (line.startsWith(metric) ? sum + Number(line.slice(line.lastIndexOf(' '))) : sum), 0)
    },
  }
}

const startLog = async (t: TestContext, flags: readonly string[]): Promise<Audited> => {
  const directory = directoryOf(t)
  return start(t, directory, [`--audit-log-path=${join(directory, 'audit.log')}`, ...flags])
}

const startWebhook = async (t: TestContext, flags: readonly string[]): Promise<Audited & { hook: Hook }> => {
  const directory = directoryOf(t)
  const hook = await startHook(t, directory)
  return { ...(await start(t, directory, [`--audit-webhook-config-file=${hook.file}`, ...flags])), hook }
}

/** Time for what should not happen: a hundred requests that have no events. */
async function meanwhile({ daemon }: Audited): Promise<void> {
  for (let sent = 0; sent < 100; sent++) await (await daemon.fetch(configMaps)).text()
}

const refusedStart = async (t: TestContext, ...flags: string[]) => {
  const directory = directoryOf(t)
  const base = ['--data-dir=:memory:', '--secure-port=1', `--cert-dir=${directory}/pki`, `--audit-policy-file=${directory}/policy.yaml`]
  const { code, stderr } = await runProgram([...base, ...flags])
  assert.equal(code, 1)
  return stderr.trimEnd().split('\n').at(-1) ?? ''
}

interface Scenario {
  readonly title: string
  readonly shows: readonly FlagName[]
  run(t: TestContext): Promise<void>
}

const scenarios: readonly Scenario[] = [
  {
    title: 'blocking, the default of the log: the event is written before the answer, in the version that is asked for',
    shows: ['audit-policy-file', 'audit-log-path', 'audit-log-mode', 'audit-log-version'],
    async run(t) {
      const audited = await startLog(t, ['--audit-log-version=audit.k8s.io/v1'])
      assert.equal(await audited.create('a'), 201)
      assert.deepEqual(names(audited.logged()), ['a'])
      assert.equal(audited.logged()[0]?.apiVersion, 'audit.k8s.io/v1')
      assert.match(
        await refusedStart(t, '--audit-log-path=-', '--audit-log-version=audit.k8s.io/v1beta1'),
        /--audit-log-version.*must be audit\.k8s\.io\/v1/,
      )
    },
  },
  {
    title: 'a log that can not be written: blocking answers, blocking-strict does not; both count and say so',
    shows: ['audit-log-mode'],
    async run(t) {
      const lost = 'apiserver_audit_error_total{plugin="log"}'
      const lenient = await start(t, directoryOf(t), ['--audit-log-path=/dev/full', '--audit-log-mode=blocking'])
      assert.equal(await lenient.create('a'), 201)
      assert.equal(await lenient.count(lost), 1)
      assert.match(lenient.daemon.log(), /audit events were lost.*no space left/)
      const directory = directoryOf(t)
      // Its first event is lost before the request is handled.
      writeFileSync(
        join(directory, 'policy.yaml'),
        'apiVersion: audit.k8s.io/v1\nkind: Policy\nrules:\n- {level: Metadata, verbs: [create], resources: [{resources: [configmaps]}], namespaces: [default]}\n- {level: None}\n',
      )
      const strict = await start(t, directory, ['--audit-log-path=/dev/full', '--audit-log-mode=blocking-strict'])
      assert.equal(await strict.create('a'), 500)
      assert.equal(await strict.count('apiserver_audit_requests_rejected_total'), 1)
      assert.equal((await strict.daemon.fetch(`${configMaps}/a`)).status, 404)
    },
  },
  {
    title: 'files are rotated by size, compressed, and removed by age and number; text instead of JSON',
    shows: ['audit-log-maxsize', 'audit-log-maxbackup', 'audit-log-maxage', 'audit-log-compress', 'audit-log-format'],
    async run(t) {
      const directory = directoryOf(t)
      const old = join(directory, 'audit-2020-01-01T00-00-00.000.log')
      writeFileSync(old, 'old\n')
      const flags = [
        '--audit-log-maxsize=1',
        '--audit-log-maxbackup=1',
        '--audit-log-maxage=1',
        '--audit-log-compress',
        '--audit-log-format=legacy',
      ]
      const audited = await start(t, directory, [`--audit-log-path=${join(directory, 'audit.log')}`, ...flags])
      await eventually('the old file is removed', async () => !existsSync(old))
      for (let sent = 0; sent < 450; sent++)
        await (await audited.daemon.fetch(`${configMaps}?fieldManager=${'x'.repeat(6_000)}`, { method: 'POST', body: '{}' })).text()
      const rotated = await eventually('one compressed file', async () => {
        const found = readdirSync(directory).filter((name) => /^audit-.*/.test(name))
        return found.length === 1 && found[0]?.endsWith('.log.gz') && found[0]
      })
      const text = gunzipSync(readFileSync(join(directory, rotated))).toString()
      assert.ok(text.length > 900_000 && text.length <= 1024 * 1024, `${text.length} bytes`)
      assert.match(text, /^[\dT:.-]+Z AUDIT: id="[^"]+" stage="ResponseComplete" ip="127\.0\.0\.1" method="create"/)
    },
  },
  {
    title:
      'batches of the log: so many events, or after a while; a full buffer loses events, counts them and says so; the end writes the rest',
    shows: ['audit-log-mode', 'audit-log-batch-max-size', 'audit-log-batch-max-wait', 'audit-log-batch-buffer-size'],
    async run(t) {
      const batch = (...flags: string[]) => startLog(t, ['--audit-log-mode=batch', ...flags])
      const sized = await batch('--audit-log-batch-max-size=3', `--audit-log-batch-max-wait=${never}`)
      await sized.create('a', 'b')
      await meanwhile(sized)
      assert.deepEqual(sized.logged(), [])
      await sized.create('c')
      await eventually('a full batch', async () => sized.logged().length === 3)

      const timed = await batch('--audit-log-batch-max-size=1000', '--audit-log-batch-max-wait=100ms')
      await timed.create('a')
      await eventually('a batch that is not full', async () => timed.logged().length === 1)

      const full = await batch('--audit-log-batch-buffer-size=2', '--audit-log-batch-max-size=1000', `--audit-log-batch-max-wait=${never}`)
      assert.equal(await full.create('a', 'b', 'c', 'd'), 201)
      assert.equal(await full.count('apiserver_audit_error_total{plugin="buffered"}'), 2)
      assert.match(full.daemon.log(), /audit events were lost.*audit buffer queue blocked/)
      await full.daemon.stop()
      assert.deepEqual(names(full.logged()), ['a', 'b'])
    },
  },
  {
    title: 'throttled batches of the log',
    shows: ['audit-log-batch-throttle-enable', 'audit-log-batch-throttle-qps', 'audit-log-batch-throttle-burst'],
    async run(t) {
      const all = ['a', 'b', 'c', 'd']
      const throttled = (...flags: string[]) =>
        startLog(t, [
          '--audit-log-mode=batch',
          '--audit-log-batch-max-size=1',
          ...flags.map((flag) => `--audit-log-batch-throttle-${flag}`),
        ])
      const slow = await throttled('enable', 'qps=0.001', 'burst=2')
      await slow.create(...all)
      await eventually('the burst', async () => slow.logged().length >= 2)
      await meanwhile(slow)
      assert.deepEqual(names(slow.logged()), ['a', 'b'])
      await slow.daemon.stop()
      assert.deepEqual(names(slow.logged()), all)
      for (const flags of [
        ['enable', 'qps=1000', 'burst=1'],
        ['enable=false', 'qps=0.001', 'burst=1'],
      ]) {
        const fast = await throttled(...flags)
        await fast.create(...all)
        await eventually('all events', async () => fast.logged().length === all.length)
      }
    },
  },
  {
    title: 'large events of the log lose their objects',
    shows: ['audit-log-truncate-enabled', 'audit-log-truncate-max-event-size', 'audit-log-truncate-max-batch-size'],
    async run(t) {
      const audited = await startLog(t, ['--audit-log-truncate-enabled', '--audit-log-truncate-max-event-size=2500'])
      await audited.create('small', 'large')
      const [small, large] = audited.logged()
      assert.ok(small?.requestObject !== undefined)
      assert.deepEqual([large?.requestObject, large?.annotations?.['audit.k8s.io/truncated']], [undefined, 'true'])
      const error = await refusedStart(t, '--audit-log-path=-', '--audit-log-truncate-enabled', '--audit-log-truncate-max-batch-size=100')
      assert.match(error, /audit-log-truncate-max-(?:batch|event)-size/)
    },
  },
  {
    title: 'the webhook in mode batch, its default: batches by size and time, in the version that is asked for',
    shows: [
      'audit-webhook-config-file',
      'audit-webhook-mode',
      'audit-webhook-version',
      'audit-webhook-batch-max-size',
      'audit-webhook-batch-max-wait',
    ],
    async run(t) {
      const sized = await startWebhook(t, [
        '--audit-webhook-batch-max-size=3',
        `--audit-webhook-batch-max-wait=${never}`,
        '--audit-webhook-version=audit.k8s.io/v1',
      ])
      await sized.create('a', 'b')
      await meanwhile(sized)
      assert.equal(sized.hook.posts.length, 0)
      await sized.create('c', 'd')
      const post = await eventually('a full batch', async () => sized.hook.posts[0])
      assert.deepEqual([post.apiVersion, names(post.items)], ['audit.k8s.io/v1', ['a', 'b', 'c']])
      await sized.daemon.stop()
      assert.deepEqual(names(sized.hook.posts[1]?.items ?? []), ['d'], 'the end sends the rest')
      const timed = await startWebhook(t, ['--audit-webhook-batch-max-wait=100ms'])
      await timed.create('a')
      await eventually('a batch that is not full', async () => timed.hook.posts.length === 1)
      assert.match(await refusedStart(t, '--audit-webhook-version=audit.k8s.io/v1alpha1'), /--audit-webhook-version/)
    },
  },
  {
    title: 'the webhook, blocking, and its first wait after a failure',
    shows: ['audit-webhook-mode', 'audit-webhook-initial-backoff'],
    async run(t) {
      const audited = await startWebhook(t, ['--audit-webhook-mode=blocking-strict', '--audit-webhook-initial-backoff=700ms'])
      audited.hook.refuse(1)
      const began = performance.now()
      assert.equal(await audited.create('a'), 201)
      assert.ok(performance.now() - began >= 600, 'the answer waits for the second attempt')
      assert.deepEqual(
        audited.hook.posts.map(({ items }) => names(items)),
        [['a'], ['a']],
      )
    },
  },
  {
    title: 'a full buffer of the webhook, and its throttle',
    shows: [
      'audit-webhook-batch-buffer-size',
      'audit-webhook-batch-throttle-enable',
      'audit-webhook-batch-throttle-qps',
      'audit-webhook-batch-throttle-burst',
    ],
    async run(t) {
      const full = await startWebhook(t, ['--audit-webhook-batch-buffer-size=2', `--audit-webhook-batch-max-wait=${never}`])
      await full.create('a', 'b', 'c')
      assert.equal(await full.count('apiserver_audit_error_total{plugin="buffered"}'), 1)
      assert.match(full.daemon.log(), /audit events were lost.*audit buffer queue blocked/)
      const all = ['a', 'b', 'c', 'd']
      const throttled = (...flags: string[]) =>
        startWebhook(t, ['--audit-webhook-batch-max-size=1', ...flags.map((flag) => `--audit-webhook-batch-throttle-${flag}`)])
      const slow = await throttled('qps=0.001', 'burst=2')
      await slow.create(...all)
      await eventually('the burst', async () => slow.hook.posts.length >= 2)
      await meanwhile(slow)
      assert.equal(slow.hook.posts.length, 2)
      await slow.daemon.stop()
      assert.equal(slow.hook.posts.length, 4)
      for (const flags of [
        ['qps=1000', 'burst=1'],
        ['enable=false', 'qps=0.001', 'burst=1'],
      ]) {
        const fast = await throttled(...flags)
        await fast.create(...all)
        await eventually('all events', async () => fast.hook.posts.length === all.length)
      }
    },
  },
  {
    title: 'large events and batches of the webhook',
    shows: ['audit-webhook-truncate-enabled', 'audit-webhook-truncate-max-event-size', 'audit-webhook-truncate-max-batch-size'],
    async run(t) {
      const truncated = [
        '--audit-webhook-truncate-enabled',
        '--audit-webhook-truncate-max-event-size=2500',
        '--audit-webhook-truncate-max-batch-size=3000',
      ]
      const audited = await startWebhook(t, ['--audit-webhook-batch-max-size=3', `--audit-webhook-batch-max-wait=${never}`, ...truncated])
      await audited.create('large', 'b', 'c')
      await eventually('all events', async () => audited.hook.posts.flatMap(({ items }) => items).length === 3)
      assert.ok(audited.hook.posts.length > 1, 'a batch that is too large is sent in parts')
      const [large] = audited.hook.posts.flatMap(({ items }) => items)
      assert.deepEqual([large?.requestObject, large?.annotations?.['audit.k8s.io/truncated']], [undefined, 'true'])
    },
  },
]

test('every flag of audit is shown', () => {
  const shown = new Set(scenarios.flatMap(({ shows }) => shows))
  const flags = [...Object.keys(auditLogFlags), ...Object.keys(auditWebhookFlags)]
  assert.deepEqual(
    flags.filter((flag) => !shown.has(flag as FlagName)),
    [],
  )
})

for (const { title, run } of scenarios) test(title, run)
