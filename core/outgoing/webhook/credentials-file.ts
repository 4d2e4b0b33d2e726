/** The server's credentials for admission webhooks: users of a connection file, by host. */
import type { Credentials } from './client-config.ts'
import type { WebhookConnection } from './connection.ts'
import { type ConnectionPorts, loadUsers } from './connection-file.ts'

const httpsPort = ':443'

/** The host itself, then wildcards `*.` with fewer and fewer leading labels. */
function namesFor(host: string): string[] {
  const steps = host.split('.')
  return [host, ...steps.slice(1).map((_, index) => `*.${steps.slice(index + 1).join('.')}`)]
}

/**
 * Loads the kubeConfigFile of a WebhookAdmissionConfiguration. Users are named by host: `hook.dev.svc:8443`, `hook.dev.svc`
 * (port 443) or `*.dev.svc`; user `*`, or that of the current context, is the default. Rejects with an Error that names the file and the field.
 */
export async function loadWebhookCredentials(path: string, ports: ConnectionPorts): Promise<Credentials> {
  const { users, current } = await loadUsers(path, ports)
  const others = ['*', current]
  return (host): Partial<WebhookConnection> | undefined => {
    const plain = host.endsWith(httpsPort) ? namesFor(host.slice(0, -httpsPort.length)) : []
    const name = [...namesFor(host), ...plain, ...others].find((each) => users.has(each))
    return name === undefined ? undefined : users.get(name)
  }
}
