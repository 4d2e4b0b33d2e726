/** Rows for admission webhooks: cost of two webhooks in another process for a write that they match, and for one that they do not. */
import { tlsFetch } from '../support/tls-fetch.ts'
import { startWebhookProcess } from '../support/webhook-process.ts'
import type { Compare } from './api-rows.ts'
import { createRate } from './create-rate.ts'
import { type BenchDaemon, startDaemon } from './daemon.ts'

const registration = '/apis/admissionregistration.k8s.io/v1'

/** Measures all rows of this file; the limit is a daemon without webhooks. */
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
    const rows: Row[] = []
    for (const per of ['second', 'second of processor time'] as const) {
      const measure = (daemon: BenchDaemon, plural: string) => createRate(daemon, { plural, seconds, per, sleeps: true })
      const [two, none] = ['one mutating and one validating webhook', 'two webhooks that do not match'].map(
        (what) => `CREATE, ${what} : none, per ${per}`,
      )
      rows.push(await compare(two ?? '', '', measure(asking, 'configmaps'), measure(plain, 'configmaps')))
      rows.push(await compare(none ?? '', '≥ 0.9', measure(asking, 'secrets'), measure(plain, 'secrets')))
    }
    return rows
  } finally {
    for (const daemon of daemons) await daemon.stop()
    hooks.stop()
  }
}
