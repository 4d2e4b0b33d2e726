/** How to connect to the server of a registration. */
import type { Destination } from '../outgoing/forwarding/destination.ts'
import type { ServiceAddress } from '../outgoing/webhook/service-address.ts'
import type { Context } from '../ports.ts'
import { decodeBase64 } from '../schema/base64.ts'
import type { RemoteRegistration } from './registration.ts'

/** This server's client certificate and its key, or the files that have them. */
export interface ProxyClientFiles {
  readonly certificate?: string
  readonly key?: string
}

export const proxyClientContents = { certificate: 'CERTIFICATE', key: 'PRIVATE KEY' } as const

const defaultPort = 443
/** Milliseconds to connect. */
export const connectTimeout = 30_000

/** Address of another server, with TLS options. */
export type Address = Omit<Destination, 'target'> & { readonly address: string }

/** Finds a server, by default that of a registration. Rejects with an Error when it has no address. */
export type Connect<T = RemoteRegistration> = (server: T, context: Context | undefined) => Promise<Address>

/** `credentials`: PEM of the current client certificate and its key, by which those servers know this one. */
export function createConnect(serviceAddress: ServiceAddress, credentials: () => ProxyClientFiles): Connect {
  return async ({ spec }, context) => {
    const { namespace, name, port = defaultPort } = spec.service
    const address = await serviceAddress(namespace, name, port, context)
    const { certificate, key } = credentials()
    const { caBundle = '', insecureSkipTLSVerify: insecure = false } = spec
    return {
      origin: new URL(`https://${address}`),
      address,
      options: {
        egress: 'cluster',
        connectTimeout,
        serverName: `${name}.${namespace}.svc`,
        ...(insecure && { insecure }),
        ...(caBundle !== '' && { certificateAuthority: new TextDecoder().decode(decodeBase64(caBundle)) }),
        ...(certificate !== undefined && key !== undefined && { clientCertificate: { certificate, key } }),
      },
    }
  }
}
