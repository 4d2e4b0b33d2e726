/** Address of a webhook in an object: a URL, or a service and a path (admissionregistration and apiextensions, WebhookClientConfig). */
import type { Context } from '../../ports.ts'
import { decodeBase64 } from '../../schema/formats/base64.ts'
import { messageOf } from '../../schema/message-of.ts'
import { NoAddress, type ServiceAddress } from '../service-address.ts'
import { cleanUrl, type WebhookConnection } from './connection.ts'

export interface WebhookClientConfig {
  readonly url?: string
  readonly service?: { readonly namespace: string; readonly name: string; readonly path?: string; readonly port?: number }
  /** PEM in base64; absent or empty: the host's roots. */
  readonly caBundle?: string
}

/** This server's credentials for a host, `NAME:PORT` (client certificate, Authorization header); undefined: none. */
export type Credentials = (
  host: string,
) => (Pick<WebhookConnection, 'authorization'> & { readonly options?: WebhookConnection['options'] }) | undefined

const defaultPort = 443

/** `NAME:PORT` of a service, as certificates of its servers name it. */
const hostOfService = ({ namespace, name, port = defaultPort }: NonNullable<WebhookClientConfig['service']>) =>
  `${name}.${namespace}.svc:${port}`

/** The URL of a webhook. Throws an Error when it has neither service nor URL. */
export function urlOf({ url, service }: WebhookClientConfig): string {
  if (service !== undefined) return cleanUrl(`https://${hostOfService(service)}/${service.path ?? ''}`)
  if (url === undefined || !URL.canParse(url)) throw new Error('webhook configuration must have either service or URL')
  return cleanUrl(url)
}

/** Resolves to the connection of a webhook. Rejects with NoAddress when its service has none. */
export type Connect = (config: WebhookClientConfig, context: Context | undefined) => Promise<WebhookConnection>

/** Connections are resolved before each call, because addresses of services change; the runtime pools sockets. */
export function createConnect(serviceAddress: ServiceAddress, credentials: Credentials = () => undefined): Connect {
  function connection(url: string, host: string, { caBundle = '' }: WebhookClientConfig, more: WebhookConnection['options']) {
    const { options, authorization } = credentials(host) ?? {}
    const certificateAuthority = caBundle === '' ? undefined : new TextDecoder().decode(decodeBase64(caBundle))
    return {
      url,
      options: { ...options, ...(certificateAuthority !== undefined && { certificateAuthority }), ...more },
      ...(authorization && { authorization }),
    }
  }

  return async (config, context) => {
    const url = urlOf(config)
    const { service } = config
    if (service !== undefined) {
      const { namespace, name, port = defaultPort } = service
      const address = await serviceAddress(namespace, name, port, context).catch((error: unknown) => {
        throw new NoAddress(messageOf(error), { cause: error })
      })
      return connection(url, hostOfService(service), config, { address, egress: 'cluster' })
    }
    const { host, port } = new URL(url)
    return connection(url, port === '' ? `${host}:${defaultPort}` : host, config, { egress: 'controlplane' })
  }
}
