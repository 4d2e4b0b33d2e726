/** Rows about admission webhooks: what two of them, in another process, cost a write that they are asked about, and one that they are not. */
import { tlsFetch } from '../support/tls-fetch.ts'
import { startWebhookProcess } from '../support/webhook-process.ts'
import type { Compare } from './api-rows.ts'
import { type BenchDaemon, startDaemon } from './daemon.ts'
import { load } from './load.ts'

const registration = '/apis/admissionregistration.k8s.io/v1'
const namespace = '/api/v1/namespaces/default'

/** Measures all of these rows; the limit is a daemon without webhooks. */
export async function admissionRows<Row>(compare: Compare<Row>, seconds: number, port: number): Promise<Row[]> {
  const hooks = await startWebhookProcess()
  const daemons: BenchDaemon[] = []
  try {
    for (const number of [0, 1]) daemons.push(await startDaemon(port + number, ['--data-dir=:memory:']))
    const [asking, plain] = daemons as [BenchDaemon, BenchDaemon]
    const { fetch, close } = tlsFetch(asking.url, asking)
    for (const [kind, path] of [
      ['mutating', 'label'],
      ['validating', 'no-latest'],
    ] as const) {
      const webhook = {
        name: `${path}.example.com`,
        clientConfig: { url: `https://127.0.0.1:${hooks.port}/${path}`, caBundle: hooks.caBundle },
        rules: [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] }],
        admissionReviewVersions: ['v1'],
        sideEffects: 'None',
      }
      const body = JSON.stringify({ metadata: { name: path }, webhooks: [webhook] })
      const response = await fetch(`${registration}/${kind}webhookconfigurations`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
      })
      if (!response.ok) throw new Error(await response.text())
    }
    close()
    const measure =
      ({ url, ca, cert, key }: BenchDaemon, plural: string) =>
      async () => {
        const path = `${namespace}/${plural}`
        const body = JSON.stringify({ metadata: { name: `x${Date.now()}-{n}` }, data: { text: 'eA==' } })
        const headers = { 'content-type': 'application/json' }
        const options = { url, ca, cert, key, seconds, headers, method: 'POST', path, body, connections: 16, sleeps: true }
        const { requestsPerSecond, failures } = await load(options)
        if (failures > 0) throw new Error(`${failures} requests failed: POST ${path}`)
        return requestsPerSecond
      }
    return [
      await compare(
        'CREATE, one mutating and one validating webhook : none',
        '',
        measure(asking, 'configmaps'),
        measure(plain, 'configmaps'),
      ),
      await compare('CREATE, two webhooks that do not match : none', '≥ 0.9', measure(asking, 'secrets'), measure(plain, 'secrets')),
    ]
  } finally {
    for (const daemon of daemons) await daemon.stop()
    hooks.stop()
  }
}
