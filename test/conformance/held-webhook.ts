/** An admission webhook over TLS that answers only when it is told to. */
import { once } from 'node:events'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { issue, issueAuthority, newKey } from '../../runtimes/node/pki/issue.ts'
import { eventually } from '../support/wait.ts'

export interface HeldWebhook {
  /** A ValidatingWebhookConfiguration for config maps with the label held=yes. */
  readonly configuration: object
  /** Number of reviews that wait for their answers. */
  held(): number
  /** Resolves when so many reviews wait for their answers. */
  waiting(count: number): Promise<void>
  /** Answers the reviews that wait, and all later ones. */
  release(): void
  close(): void
}

/** `operations`: those that wait. */
export async function startHeldWebhook(operations: readonly string[] = ['CREATE', 'UPDATE']): Promise<HeldWebhook> {
  const authority = issueAuthority('webhooks', newKey(), Date.now())
  const serving = issue(authority, { commonName: 'service', names: ['127.0.0.1'] }, Date.now())
  const held: (() => void)[] = []
  let released = false
  const service = createServer({ cert: serving.certPem, key: serving.keyPem }, async (request, response) => {
    const { kind, apiVersion, request: review } = (await json(request)) as { kind: string; apiVersion: string; request: { uid: string } }
    if (!released) await new Promise<void>((resolve) => held.push(resolve))
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ kind, apiVersion, response: { uid: review.uid, allowed: true } }))
  })
  service.listen(0, '127.0.0.1')
  await once(service, 'listening')
  return {
    configuration: {
      kind: 'ValidatingWebhookConfiguration',
      apiVersion: 'admissionregistration.k8s.io/v1',
      metadata: { name: 'held' },
      webhooks: [
        {
          name: 'held.webhooks.test',
          clientConfig: {
            url: `https://127.0.0.1:${(service.address() as AddressInfo).port}/`,
            caBundle: Buffer.from(authority.certPem).toString('base64'),
          },
          rules: [{ operations, apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] }],
          objectSelector: { matchLabels: { held: 'yes' } },
          sideEffects: 'None',
          admissionReviewVersions: ['v1'],
          timeoutSeconds: 30,
        },
      ],
    },
    held: () => held.length,
    waiting: async (count) => void (await eventually(`${count} reviews`, async () => held.length >= count)),
    release() {
      released = true
      for (const answer of held.splice(0)) answer()
    },
    close() {
      service.close()
      service.closeAllConnections()
    },
  }
}
