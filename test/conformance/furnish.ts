/** Certificates, tokens and an authorization webhook for one daemon that is shared by most features. */
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import type { TLSSocket } from 'node:tls'
import { issue, issueAuthority, newKey, type Pair } from '../../runtimes/node/pki/issue.ts'

export interface Furniture {
  /** Flags for the daemon. */
  readonly flags: readonly string[]
  /** Client certificate and key of user jane. The certificate is issued by an intermediate authority, which is included. */
  readonly jane: { readonly cert: string; readonly key: string }
  readonly tokens: {
    /** Token of a user in system:masters. */
    readonly administrator: string
    /** Token of a user without RBAC rights, allowed by the webhook if the daemon presents its client certificate. */
    readonly asked: string
  }
  close(): void
}

/** Host name with its own serving certificate (common name `named`). */
export const namedHost = 'named.test'

/** Writes the files into a directory and starts the webhook. */
export async function furnish(directory: string): Promise<Furniture> {
  const file: WriteFile = (name, text) => {
    const path = join(directory, name)
    writeFileSync(path, text)
    return path
  }
  const now = Date.now()
  const root = issueAuthority('root', newKey(), now)
  const intermediate = { certPem: openssl(file, root), keyPem: root.keyPem }
  const jane = issue(intermediate, { commonName: 'jane' }, now)
  const named = issue(root, { commonName: 'named', names: [namedHost] }, now)
  const tokens = { administrator: 'token-of-administrator', asked: 'token-of-asked' }
  const webhook = await startWebhook()
  return {
    flags: [
      `--client-ca-file=${file('client-root.crt', root.certPem)}`,
      `--tls-sni-cert-key=${file('named.crt', named.certPem)},${file('named.key', named.keyPem)}`,
      `--token-auth-file=${file('tokens.csv', `${tokens.administrator},robot,1,"system:masters"\n${tokens.asked},asked,2\n`)}`,
      '--authorization-mode=Node,RBAC,Webhook',
      `--authorization-webhook-config-file=${file('webhook.json', JSON.stringify(webhook.kubeconfig))}`,
      '--authorization-webhook-version=v1',
    ],
    jane: { cert: jane.certPem + intermediate.certPem, key: jane.keyPem },
    tokens,
    close: webhook.close,
  }
}

type WriteFile = (name: string, text: string) => string

/** An intermediate authority's certificate signed by `root`, with the same key. By openssl, because issue.ts can't issue one. */
function openssl(file: WriteFile, root: Pair): string {
  const key = file('root.key', root.keyPem)
  const request = execFileSync('openssl', ['req', '-new', '-key', key, '-subj', '/CN=intermediate'], { encoding: 'utf8', stdio: 'pipe' })
  const extensions = 'basicConstraints=critical,CA:TRUE\nkeyUsage=critical,keyCertSign\nsubjectKeyIdentifier=hash\n'
  const signing = ['-CA', file('root.crt', root.certPem), '-CAkey', key, '-set_serial', '2', '-days', '1']
  const options = ['-req', '-in', file('intermediate.csr', request), ...signing, '-extfile', file('intermediate.cnf', extensions)]
  return execFileSync('openssl', ['x509', ...options], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
}

interface Webhook {
  readonly kubeconfig: object
  close(): void
}

/** An authorization webhook that allows one user everything if the caller presents its client certificate. */
async function startWebhook(): Promise<Webhook> {
  const authority = issueAuthority('webhooks', newKey(), Date.now())
  const serving = issue(authority, { commonName: 'service', names: ['127.0.0.1'] }, Date.now())
  const caller = issue(authority, { commonName: 'caller' }, Date.now())
  const options = { cert: serving.certPem, key: serving.keyPem, ca: authority.certPem, requestCert: true, rejectUnauthorized: false }
  const service = createServer(options, async (request, response) => {
    const { spec } = (await json(request)) as { spec: { user?: string } }
    const allowed = spec.user === 'asked' && (request.socket as TLSSocket).getPeerCertificate().subject?.CN === 'caller'
    response.end(JSON.stringify({ kind: 'SubjectAccessReview', apiVersion: 'authorization.k8s.io/v1', status: { allowed } }))
  })
  service.listen(0, '127.0.0.1')
  await once(service, 'listening')
  const base64 = (text: string) => Buffer.from(text).toString('base64')
  const server = `https://127.0.0.1:${(service.address() as AddressInfo).port}/`
  const user = { 'client-certificate-data': base64(caller.certPem), 'client-key-data': base64(caller.keyPem) }
  return {
    kubeconfig: {
      'current-context': 'c',
      contexts: [{ name: 'c', context: { cluster: 's', user: 'u' } }],
      clusters: [{ name: 's', cluster: { server, 'certificate-authority-data': base64(authority.certPem) } }],
      users: [{ name: 'u', user }],
    },
    close() {
      service.close()
      service.closeAllConnections()
    },
  }
}
