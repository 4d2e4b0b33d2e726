/** Whole events for requests of every kind, compared with those of kube-apiserver 1.36.2. `reference/record.ts` records them. */
import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { after, before, test } from 'node:test'
import type { ApiServer, ServerOptions } from '../../../core/server.ts'
import { consoleLogger } from '../../../runtimes/web/ports.ts'
import { readFacts } from '../../reference/audit/facts.ts'
import { type Event, normalEvent } from '../../reference/audit/normal.ts'
import { steps } from '../../reference/audit/requests.ts'
import { sendAll } from '../../reference/audit/send.ts'
import { startInProcess } from '../../support/in-process.ts'
import { eventually } from '../../support/wait.ts'

const connection = { remoteAddress: '127.0.0.1', remotePort: 1, protocol: 'h2' } as const
const users = [
  { token: 'reference-admin', user: { name: 'admin', uid: 'admin-uid', groups: ['system:masters'] } },
  { token: 'reference-alice', user: { name: 'alice', uid: 'alice-uid', groups: ['dev'] } },
]
const policy = {
  kind: 'Policy',
  apiVersion: 'audit.k8s.io/v1',
  rules: [{ level: 'RequestResponse' }],
}
const written = new Map<string, string[]>()
/** A timer of the server, such as a watch's, does not keep the process alive. */
const alive = setInterval(() => {}, 1_000)
let server: ApiServer
let ours: Event[]

/** The lines of a request, when its last event is there. */
async function linesOf(name: string): Promise<readonly string[]> {
  const lines = () => written.get(name) ?? []
  const isLast = (line = '') => line.includes('"stage":"ResponseComplete"') || line.includes('"user":{}')
  await eventually(`events of ${name}`, async () => isLast(lines().at(-1)))
  return lines()
}

before(async () => {
  const key = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  }).privateKey
  const issuer = 'https://kubernetes.default.svc'
  const options: ServerOptions = {
    platform: 'kubernetes',
    tokens: users,
    authorizationModes: ['RBAC'],
    serviceAccounts: { signingKey: key, verificationKeys: [key], issuers: [issuer], audiences: [issuer] },
    controllers: [],
    serverAddress: '127.0.0.1:6443',
    allowPrivileged: true,
    auditPolicy: policy,
  }
  const audit = async (lines: Uint8Array) => {
    for (const line of new TextDecoder().decode(lines).split('\n').slice(0, -1)) {
      const { auditID } = JSON.parse(line) as Event
      written.set(auditID, [...(written.get(auditID) ?? []), line])
    }
  }
  server = (await startInProcess({ ...options, telemetry: { logger: consoleLogger, audit } })).server
  ours = (await sendAll('http://test', (request) => server.fetch(request, connection), linesOf)).map(normalEvent)
})
after(async () => {
  clearInterval(alive)
  await server.close()
})

/** The event without its objects, whose members may be in another order than in the reference (custom resources). */
const frame = ({ requestObject, responseObject, ...event }: Event) =>
  JSON.stringify({ ...event, requestObject: requestObject !== undefined, responseObject: responseObject !== undefined }, undefined, 1)

const facts = readFacts()

test('at least 30 kinds of requests were recorded', () => {
  assert.deepEqual(new Set(facts.map(({ auditID }) => auditID)), new Set(steps.map(({ name }) => name)))
  assert(steps.length >= 90)
})

for (const { name } of steps)
  test(name, () => {
    const [expected, found] = [facts, ours].map((events) => events.filter(({ auditID }) => auditID === name))
    assert.deepEqual(found?.map(frame), expected?.map(frame), 'members and their order')
    assert.deepEqual(found, expected)
  })
