/** Rows for admission policies: cost of ten policies for a create that they match, and for one that they do not. */
import { tlsFetch } from '../support/tls-fetch.ts'
import type { Compare } from './api-rows.ts'
import { createRate } from './create-rate.ts'
import { type BenchDaemon, startDaemon } from './daemon.ts'

const registration = '/apis/admissionregistration.k8s.io/v1'
const namespace = '/api/v1/namespaces/default'
const headers = { 'content-type': 'application/json' }

const policy = (name: string) => ({
  metadata: { name },
  spec: {
    matchConstraints: {
      resourceRules: [{ operations: ['CREATE', 'UPDATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] }],
    },
    variables: [{ name: 'team', expression: "has(object.metadata.labels) ? object.metadata.labels.?team.orValue('') : ''" }],
    validations: [
      { expression: 'size(object.metadata.name) < 64' },
      { expression: "variables.team != 'nobody'", messageExpression: "'no team: ' + variables.team" },
      { expression: "!has(object.data) || object.data.all(key, !key.startsWith('x-'))" },
    ],
  },
})
const binding = (name: string) => ({ metadata: { name }, spec: { policyName: name, validationActions: ['Deny'] } })

/** Creates ten policies and waits until they are in force. */
async function makePolicies(daemon: BenchDaemon): Promise<void> {
  const { fetch, close } = tlsFetch(daemon.url, daemon)
  const post = (path: string, object: object) => fetch(path, { method: 'POST', headers, body: JSON.stringify(object) })
  for (let number = 0; number < 10; number++) {
    for (const [plural, make] of Object.entries({ validatingadmissionpolicies: policy, validatingadmissionpolicybindings: binding })) {
      const response = await post(`${registration}/${plural}`, make(`policy-${number}`))
      if (!response.ok) throw new Error(await response.text())
    }
  }
  const refused = { metadata: { name: 'refused', labels: { team: 'nobody' } } }
  while ((await post(`${namespace}/configmaps?dryRun=All`, refused)).status !== 422) await new Promise((resolve) => setTimeout(resolve, 20))
  close()
}

/** Measures all rows of this file; the limit is a daemon without policies. */
export async function policyRows<Row>(compare: Compare<Row>, seconds: number, port: number): Promise<Row[]> {
  const daemons: BenchDaemon[] = []
  try {
    for (const number of [0, 1]) daemons.push(await startDaemon(port + number, ['--data-dir=:memory:']))
    const [governed, plain] = daemons as [BenchDaemon, BenchDaemon]
    await makePolicies(governed)
    const rows: Row[] = []
    for (const per of ['second', 'second of processor time'] as const) {
      const measure = (daemon: BenchDaemon, plural: string) => createRate(daemon, { plural, seconds, per })
      const [many, none] = ['ten policies that match', 'ten policies that do not match'].map((what) => `CREATE, ${what} : none, per ${per}`)
      rows.push(await compare(many ?? '', '', measure(governed, 'configmaps'), measure(plain, 'configmaps')))
      rows.push(await compare(none ?? '', '≥ 0.9', measure(governed, 'secrets'), measure(plain, 'secrets')))
    }
    return rows
  } finally {
    for (const daemon of daemons) await daemon.stop()
  }
}
