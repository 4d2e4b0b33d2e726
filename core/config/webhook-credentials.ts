/** Whom the server is to admission webhooks: users of a connection file by the hosts that they are for. */
import type { Credentials } from '../webhook/client-config.ts'
import type { WebhookConnection } from '../webhook/connection.ts'
import { type ConnectionPorts, loadUsers } from './connection-file.ts'

const httpsPort = ':443'

/** The host itself, then `*.` with ever fewer of its first names. */
function namesFor(host: string): string[] {
  const steps = host.split('.')
  return [host, ...steps.slice(1).map((_, index) => `*.${steps.slice(index + 1).join('.')}`)]
}

/**
 * Reads the kubeConfigFile of WebhookAdmissionConfiguration. A user is named like the host it is for: `hook.dev.svc:8443`, `hook.dev.svc`
 * (port 443) or `*.dev.svc`; the user `*`, or that of the current context, is for all others. Rejects with an Error that names the file and the field.
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
