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
