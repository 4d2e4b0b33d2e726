import { writeAtomically } from '../../atomic-file.ts'

export interface KubeconfigOptions {
  /** Such as `https://127.0.0.1:6443`. */
  readonly server: string
  readonly caPem: string
  readonly certPem: string
  readonly keyPem: string
  /** Name of the cluster, the user and the context. Default `platform`. */
  readonly name?: string
}

/** Writes a client configuration (API group '' version v1, kind Config) with embedded credentials and mode 0600. */
export function writeKubeconfig(path: string, { server, caPem, certPem, keyPem, name = 'platform' }: KubeconfigOptions): void {
  const base64 = (pem: string) => Buffer.from(pem).toString('base64')
  const text = JSON.stringify(name)
  const config = `apiVersion: v1
kind: Config
clusters:
- name: ${text}
  cluster:
    server: ${JSON.stringify(server)}
    certificate-authority-data: ${base64(caPem)}
users:
- name: ${text}
  user:
    client-certificate-data: ${base64(certPem)}
    client-key-data: ${base64(keyPem)}
contexts:
- name: ${text}
  context:
    cluster: ${text}
    user: ${text}
current-context: ${text}
`
  writeAtomically(path, config, 0o600)
}

export interface TokenKubeconfig {
  /** Such as `https://127.0.0.1:6443/servers/team`. */
  readonly url: string
  /** PEM of the CA of the serving certificate; absent: none is known. */
  readonly authority?: string
  /** Name that the serving certificate is verified for, and that TLS handshakes have; absent: that of the URL. */
  readonly serverName?: string
  /** Name of the cluster and the context. */
  readonly name: string
  readonly user: string
  readonly token: string
}

/** A client configuration with a bearer token, in JSON, which is YAML, too. */
export function tokenKubeconfig({ url, authority, serverName, name, user, token }: TokenKubeconfig): string {
  const cluster = {
    server: url,
    ...(authority && { 'certificate-authority-data': Buffer.from(authority).toString('base64') }),
    ...(serverName && { 'tls-server-name': serverName }),
  }
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name, cluster }],
    users: [{ name: user, user: { token } }],
    contexts: [{ name, context: { cluster: name, user } }],
    'current-context': name,
  }
  return `${JSON.stringify(config, undefined, 2)}\n`
}
