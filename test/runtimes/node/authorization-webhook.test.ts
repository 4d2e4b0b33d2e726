/** Authorization by a webhook in another process over TLS, with kubeconfig and configuration files on disk. */
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { type Authorization, type AuthorizationFiles, createAuthorization } from '../../../core/access/authz/configured.ts'
import * as fileRows from '../../../core/access/authz/file/rows.ts'
import { authorizationFileRows, authorizationRows } from '../../../core/access/authz/metrics.ts'
import { RbacIndex } from '../../../core/access/authz/rbac-index.ts'
import { reloadReports } from '../../../core/config/reload-metrics.ts'
import { createMetrics } from '../../../core/meta/metrics/registry.ts'
import { createPlatform } from '../../../core/platform.ts'
import type { Logger } from '../../../core/ports.ts'
import { createOutbound } from '../../../runtimes/node/network/outbound.ts'
import { nodeClock, nodeFiles } from '../../../runtimes/node/start/ports.ts'
import { onResource } from '../../core/access/authz/attributes.ts'
import { killedAtExit } from '../../support/child.ts'
import { startInProcess } from '../../support/in-process.ts'
import { nodeArguments } from '../../support/root.ts'
import { temporaryDirectory } from '../../support/temporary.ts'
import { eventually } from '../../support/wait.ts'
import { authority, client, serving } from './support.ts'

const directory = temporaryDirectory('authz')
const caller = client('apiserver')
let service: ChildProcess
let url = ''
const opened: Authorization[] = []
const registry = createMetrics()
const metrics = registry.record(authorizationRows)
const reloads = reloadReports(registry.record(authorizationFileRows), nodeClock, '')

before(async () => {
  const program = nodeArguments(new URL('webhook-service.ts', import.meta.url))
  const TLS = JSON.stringify({ ...serving, ca: authority.certPem })
  service = killedAtExit(spawn(process.execPath, program, { env: { ...process.env, TLS }, stdio: ['ignore', 'pipe', 'inherit'] }))
  const [line] = await once(service.stdout!, 'data')
  url = `https://127.0.0.1:${String(line).trim()}`
  writeFileSync(join(directory.path, 'ca.pem'), authority.certPem)
})
after(() => {
  for (const each of opened) each.close()
  service.kill()
  directory.remove()
})

const logged: { level: string; fields: object; message: string }[] = []
const log = (level: string) => (fields: object, message: string) => void logged.push({ level, fields, message })
const logger: Logger = { debug: log('debug'), info: log('info'), warn: log('warn'), error: log('error') }
const ports = { clock: nodeClock, files: nodeFiles, outbound: createOutbound(), telemetry: { logger } }

function write(name: string, content: unknown): string {
  const path = join(directory.path, name)
  writeFileSync(`${path}.tmp`, typeof content === 'string' ? content : JSON.stringify(content))
  renameSync(`${path}.tmp`, path)
  return path
}

let files = 0
const base64 = (text: string) => Buffer.from(text).toString('base64')
/** A kubeconfig file for the webhook, with its CA file beside it. */
const connection = (path: string, cluster: object = {}, user: object = {}) =>
  write(`connection-${++files}`, {
    'current-context': 'c',
    contexts: [{ name: 'c', context: { cluster: 's', user: 'u' } }],
    clusters: [{ name: 's', cluster: { server: `${url}${path}`, 'certificate-authority': 'ca.pem', ...cluster } }],
    users: [{ name: 'u', user }],
  })

async function open(modes: string[], given: AuthorizationFiles): Promise<Authorization> {
  const rbac = new RbacIndex('rbac')
  const made = await createAuthorization({
    modes,
    files: given,
    rows: async () => fileRows,
    platform: createPlatform(),
    ports,
    rbac,
    metrics,
    reloads,
    enabled: () => false,
    storeOf: () => undefined,
  })
  opened.push(made)
  return made
}

const request = onResource('jane+dev', 'get', 'pods', 'dev', 'web')
const webhook = (path: string) => ({ connection: path, version: 'v1', authorizedTtl: 60_000, unauthorizedTtl: 60_000 }) as const

interface Options {
  readonly name?: string
  readonly failurePolicy?: string
  readonly timeout?: string
  readonly cacheAuthorizedRequests?: boolean
  readonly conditions?: readonly string[]
  readonly connectionInfo?: object
}

const authorizer = (path: string, { name = 'judge', conditions = [], ...options }: Options = {}) => ({
  type: 'Webhook',
  name,
  webhook: {
    subjectAccessReviewVersion: 'v1',
    ...(conditions.length > 0 && { matchConditionSubjectAccessReviewVersion: 'v1' }),
    timeout: '10s',
    failurePolicy: 'NoOpinion',
    connectionInfo: { type: 'KubeConfigFile', kubeConfigFile: path },
    matchConditions: conditions.map((expression) => ({ expression })),
    ...options,
  },
})
const configuration = (...authorizers: object[]) => ({
  apiVersion: 'apiserver.config.k8s.io/v1',
  kind: 'AuthorizationConfiguration',
  authorizers,
})

const decide = async (path: string, options: Options = {}) => {
  const { authorizer: made } = await open([], {
    configuration: write(`config-${++files}`, configuration(authorizer(connection(path), options))),
  })
  return made.authorize(request, undefined)
}

test('mode Webhook calls the webhook and caches the answer', async () => {
  const { authorizer: made, types } = await open(['AlwaysDeny', 'Webhook'], { webhook: webhook(connection('/allow')) })
  const first = await made.authorize(request, undefined)
  assert.match(first.reason, /^number /)
  assert.deepEqual([first.verdict, types], ['allow', ['AlwaysDeny', 'Webhook']])
  assert.deepEqual(await made.authorize(request, undefined), first)
  assert.notDeepEqual(await made.authorize({ ...request, name: 'db' }, undefined), first)
})

test('the server presents its credentials', async () => {
  const reasonOf = async (user: object) => {
    const { authorizer: made } = await open(['Webhook'], { webhook: webhook(connection('/who', {}, user)) })
    return (await made.authorize(request, undefined)).reason
  }
  const embedded = { 'client-certificate-data': base64(caller.cert), 'client-key-data': base64(caller.key) }
  assert.equal(await reasonOf(embedded), 'apiserver ')
  write('client.pem', caller.cert)
  write('client.key', caller.key)
  assert.equal(await reasonOf({ 'client-certificate': 'client.pem', 'client-key': join(directory.path, 'client.key') }), 'apiserver ')
  assert.equal(await reasonOf({ token: 'secret' }), 'nobody Bearer secret')
  write('token', 'from-file\n')
  assert.equal(await reasonOf({ tokenFile: 'token' }), 'nobody Bearer from-file')
  assert.equal(await reasonOf({ username: 'me', password: 'p:w' }), `nobody Basic ${base64('me:p:w')}`)
})

test('the webhook must present a trusted certificate', async () => {
  const other = connection('/allow', { 'certificate-authority': '', 'certificate-authority-data': '' })
  const strange = connection('/allow', { 'tls-server-name': 'elsewhere.example' })
  for (const path of [other, strange]) {
    const { authorizer: made } = await open(['Webhook'], { webhook: webhook(path) })
    const { verdict, error } = await made.authorize(request, undefined)
    assert.equal(verdict, 'no-opinion')
    assert.match(error ?? '', /certificate|altnames/i)
  }
  const blind = connection('/allow', { 'certificate-authority': '', 'insecure-skip-tls-verify': true })
  assert.equal((await (await open(['Webhook'], { webhook: webhook(blind) })).authorizer.authorize(request, undefined)).verdict, 'allow')
})

const failures: readonly (readonly [path: string, error: RegExp])[] = [
  ['/slow', /aborted|timeout/i],
  ['/stalled', /aborted|timeout/i],
  ['/malformed', /json/],
  ['/html', /json/],
  ['/huge', /the response has more than 1048576 bytes/],
  ['/404', /the server could not find the requested resource/],
  ['/503', /the server is currently unable to handle the request/],
]

test('an invalid response is a failure, which the failure policy decides', async () => {
  for (const [path, error] of failures) {
    const timeout = path === '/slow' || path === '/stalled' ? '300ms' : '10s'
    const open = await decide(path, { timeout })
    assert.equal(open.verdict, 'no-opinion', path)
    assert.match(open.error ?? '', error, path)
    assert.equal((await decide(path, { timeout, failurePolicy: 'Deny' })).verdict, 'deny', path)
  }
})

test('a broken connection is retried, a refused one is not', async () => {
  const began = performance.now()
  const dead = await decide('/dead')
  assert.notEqual(dead.error, undefined)
  assert.ok(performance.now() - began > 2_000)
  const refused = write('refused', {
    'current-context': 'c',
    contexts: [{ name: 'c', context: { cluster: 's' } }],
    clusters: [{ name: 's', cluster: { server: 'https://127.0.0.1:1' } }],
  })
  const { authorizer: made } = await open(['Webhook'], { webhook: webhook(refused) })
  assert.match((await made.authorize(request, undefined)).error ?? '', /dial tcp 127.0.0.1:1: connect: connection refused$/)
})

test('authorizers of a file run in order, with their match conditions', async () => {
  const file = configuration(
    authorizer(connection('/deny'), { name: 'guard', conditions: ["request.resourceAttributes.namespace == 'kube-system'"] }),
    authorizer(connection('/404'), { name: 'broken', conditions: ["request.user == 'nobody'"] }),
    authorizer(connection('/none'), { name: 'shrug' }),
    authorizer(connection('/allow'), { name: 'gate', cacheAuthorizedRequests: false }),
  )
  const { authorizer: made, types } = await open([], { configuration: write('ordered', file) })
  assert.deepEqual(types, ['Webhook', 'Webhook', 'Webhook', 'Webhook'])
  const first = await made.authorize(request, undefined)
  assert.equal(first.verdict, 'allow')
  assert.notEqual((await made.authorize(request, undefined)).reason, first.reason)
  assert.deepEqual(await made.authorize({ ...request, namespace: 'kube-system' }, undefined), { verdict: 'deny', reason: 'never' })
})

test('a changed file is reloaded; an invalid one is ignored', async () => {
  const path = write('reloaded', configuration(authorizer(connection('/allow'))))
  const { authorizer: made } = await open([], { configuration: path })
  const verdict = async () => (await made.authorize(request, undefined)).verdict
  assert.equal(await verdict(), 'allow')
  write('reloaded', configuration(authorizer(connection('/deny'))))
  await eventually('the new file is in use', async () => (await verdict()) === 'deny')
  const refusals: readonly (readonly [content: unknown, error: RegExp])[] = [
    ['{', /reloaded: line 1/],
    [
      configuration(authorizer(connection('/allow'), { conditions: ['request.user', 'nobody'] })),
      /\[0\].webhook.matchConditions\[0\].expression: Invalid value: "request.user": must evaluate to bool but got string; .*\[1\].expression: Invalid value: "nobody": compilation failed/,
    ],
    [configuration(authorizer(join(directory.path, 'nowhere'))), /no such file/],
    [configuration({ type: 'AlwaysAllow', name: 'all' }, authorizer(connection('/allow'))), /the types must stay Webhook while/],
  ]
  for (const [content, error] of refusals) {
    logged.length = 0
    write('reloaded', content)
    const found = await eventually('the refusal is logged', async () => logged.find(({ level }) => level === 'error'))
    assert.match((found.fields as { error: string }).error, error)
    assert.equal(await verdict(), 'deny')
  }
  write('reloaded', configuration(authorizer(connection('/allow'))))
  await eventually('a valid file is used again', async () => (await verdict()) === 'allow')
  const count = (status: string) =>
    registry.text().match(new RegExp(`automatic_reloads_total{apiserver_id_hash="",status="${status}"} (\\d+)`))?.[1]
  assert.deepEqual([count('success'), count('failure')], ['2', String(refusals.length)], 'reloads are counted')
  assert.match(registry.text(), /automatic_reload_last_timestamp_seconds{apiserver_id_hash="",status="failure"} 1\d{9}/)
  const hash = createHash('sha256').update(readFileSync(path)).digest('hex')
  assert.match(registry.text(), new RegExp(`last_config_info{apiserver_id_hash="",hash="sha256:${hash}"} 1\\n`), 'hash of the file in use')
})

test('invalid files', async () => {
  const cases: readonly (readonly [content: unknown, error: RegExp])[] = [
    [{}, /current-context: Required value/],
    [{ 'current-context': 'x' }, /context "x" does not exist/],
    [{ 'current-context': 'x', contexts: [{ name: 'x', context: { cluster: 'y' } }] }, /cluster "y" does not exist/],
    ['contexts: 7', /contexts: expected array/],
    [':', /: /],
  ]
  for (const [content, error] of cases) await assert.rejects(open(['Webhook'], { webhook: webhook(write('bad', content)) }), error)
  const users: readonly (readonly [user: object, error: RegExp])[] = [
    [{ exec: { command: 'x' } }, /users: exec is not supported/],
    [{ 'client-certificate': 'client.pem' }, /client-certificate and client-key go together/],
    [{ 'client-certificate-data': '?', 'client-key-data': '?' }, /illegal base64/],
    [{ token: 't', username: 'u' }, /more than one way to authenticate/],
  ]
  for (const [user, error] of users) await assert.rejects(open(['Webhook'], { webhook: webhook(connection('/allow', {}, user)) }), error)
  await assert.rejects(
    open(['Webhook'], { webhook: webhook(connection('/allow', { server: 'ftp://x' })) }),
    /"ftp:\/\/x" is not an http\(s\) URL/,
  )
  await assert.rejects(open(['Webhook'], {}), /needs a connection file/)
  await assert.rejects(open(['ABAC'], {}), /needs a policy file/)
  const inside = authorizer('', { connectionInfo: { type: 'InClusterConfig' } })
  await assert.rejects(open([], { configuration: write('inside', configuration(inside)) }), /not in a pod/)
})

test('a server: 403 with the reason, 500 when no authorizer could decide, and ABAC after the webhook', async (t) => {
  const policy = write('policy', '{"user":"system:anonymous","resource":"configmaps","namespace":"*","apiGroup":"*"}')
  const ask = async (path: string, what: string) => {
    const { fetch } = await startInProcess(
      {
        files: nodeFiles,
        outbound: ports.outbound,
        telemetry: { logger },
        controllers: [],
        authorizationModes: ['ABAC', 'Webhook'],
        authorizationFiles: { webhook: webhook(connection(path)), policy },
      },
      t,
    )
    const response = await fetch(what)
    return { status: response.status, text: await response.text() }
  }
  const secrets = '/api/v1/namespaces/default/secrets'
  assert.equal((await ask('/allow', secrets)).status, 200)
  const refused = await ask('/deny', secrets)
  assert.equal(refused.status, 403)
  assert.equal(
    JSON.parse(refused.text).message,
    'secrets is forbidden: User "system:anonymous" cannot list resource "secrets" in API group "" in the namespace "default": never',
  )
  const failed = await ask('/html', secrets)
  assert.equal(failed.status, 500)
  assert.match(
    failed.text,
    /^Internal Server Error: "\/api\/v1\/namespaces\/default\/secrets": couldn't get version\/kind; json parse error/,
  )
  assert.equal((await ask('/html', '/api/v1/namespaces/default/configmaps')).status, 200)
  // No path is exempt: with RBAC a cluster role opens health checks, here only the webhook could.
  assert.equal((await ask('/html', '/healthz')).status, 500)
  assert.equal((await ask('/allow', '/healthz')).status, 200)
})
