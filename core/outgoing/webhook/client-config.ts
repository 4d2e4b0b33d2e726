/** Address of a webhook in an object: a URL, or a service and a path (admissionregistration and apiextensions, WebhookClientConfig). */
import type { Context } from '../../ports.ts'
import { decodeBase64 } from '../../schema/base64.ts'
import { messageOf } from '../../schema/message-of.ts'
import { cleanUrl, type WebhookConnection } from './connection.ts'
import type { ServiceAddress } from './service-address.ts'

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

/** The service of a webhook can't be reached; `url` is the webhook's. */
export class NoAddress extends Error {
  override readonly name = 'NoAddress'
  readonly url: string
  constructor(url: string, error: unknown) {
    super(messageOf(error), { cause: error })
    this.url = url
  }
}

const defaultPort = 443

/** Resolves to the connection of a webhook. Rejects with an Error when its service has no address. */
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
    const { url, service } = config
    if (service !== undefined) {
      const { namespace, name, path = '', port = defaultPort } = service
      const host = `${name}.${namespace}.svc:${port}`
      const url = cleanUrl(`https://${host}/${path}`)
      const address = await serviceAddress(namespace, name, port, context).catch((error: unknown) => {
        throw new NoAddress(url, error)
      })
      return connection(url, host, config, { address, egress: 'cluster' })
    }
    if (url === undefined || !URL.canParse(url)) throw new Error('webhook configuration must have either service or URL')
    const { host, port } = new URL(url)
    return connection(cleanUrl(url), port === '' ? `${host}:${defaultPort}` : host, config, { egress: 'controlplane' })
  }
}
