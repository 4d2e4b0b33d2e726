import { constants } from 'node:crypto'
import type { Socket } from 'node:net'
import { createSecureContext, createServer, type SecureContext, type SecureContextOptions, type Server, type TLSSocket } from 'node:tls'
import { normalAddress } from './connection.ts'
import { type CipherSuite, cipherOption, type KeyPair, type NamedKeyPair, nameTable, tlsVersions } from './tls.ts'

/** Certificates, which can change while a listener is open. */
export interface Certificates extends KeyPair {
  /** Certificates by server name (SNI), or, for clients without SNI, by local address. */
  readonly sni?: readonly NamedKeyPair[]
  /** PEM bundles whose subjects are announced to clients. Client certificates are always requested, and never verified here. */
  readonly clientAuthorities?: readonly string[]
}

export interface SecureOptions {
  readonly http2: boolean
  readonly minVersion: keyof typeof tlsVersions
  readonly cipherSuites: readonly CipherSuite[]
  /** Timeout of handshakes in milliseconds. */
  readonly handshakeTimeout: number
  accepted(socket: TLSSocket): void
  failed(socket: TLSSocket, error: Error): void
}

export interface SecureServers {
  /** Starts a TLS handshake on an accepted socket. */
  take(socket: Socket): void
  /** Replaces the certificates for new connections. Throws, and changes nothing, when they are unusable. */
  reload(certificates: Certificates): void
}

interface Contexts {
  readonly main: SecureContext
  readonly byName: (name: string) => SecureContext | undefined
  readonly byAddress: (address: string) => Server | undefined
}

/** TLS over accepted sockets. The certificate depends on the server name or the local address. */
export function secureServers(certificates: Certificates, options: SecureOptions): SecureServers {
  const ciphers = cipherOption(options.minVersion, options.cipherSuites)
  const contextOptions = ({ cert, key }: KeyPair, authorities: readonly string[] = []): SecureContextOptions => ({
    cert,
    key,
    ca: [...authorities],
    minVersion: tlsVersions[options.minVersion],
    ciphers,
    // A resumed session lacks the client's intermediate certificates. Renegotiation costs much, and no client needs it.
    secureOptions: constants.SSL_OP_NO_TICKET | constants.SSL_OP_NO_RENEGOTIATION,
  })
  let contexts: Contexts
  const server = (secure: SecureContextOptions) => {
    const { http2, handshakeTimeout } = options
    const created = createServer(
      {
        ...secure,
        ALPNProtocols: http2 ? ['h2', 'http/1.1'] : ['http/1.1'],
        requestCert: true,
        rejectUnauthorized: false,
        handshakeTimeout,
        // Before the certificate of the local address, which is for clients that send no name.
        SNICallback: (name, done) => done(null, contexts.byName(name) ?? contexts.main),
      },
      (socket) => options.accepted(socket),
    )
    return created.on('tlsClientError', (error, socket) => options.failed(socket, error))
  }
  const namedContexts = ({ sni = [], clientAuthorities, ...pair }: Certificates): Contexts => {
    const secure = sni.map((pair) => [pair, contextOptions(pair, clientAuthorities)] as const)
    return {
      main: createSecureContext(contextOptions(pair, clientAuthorities)),
      byName: nameTable(secure.map(([pair, each]) => [pair, createSecureContext(each)])),
      byAddress: nameTable(secure.map(([pair, each]) => [pair, server(each)])),
    }
  }
  contexts = namedContexts(certificates)
  const main = server(contextOptions(certificates, certificates.clientAuthorities))

  return {
    take(socket) {
      const own = socket.localAddress === undefined ? undefined : contexts.byAddress(normalAddress(socket.localAddress))
      ;(own ?? main).emit('connection', socket)
    },
    reload(next) {
      const named = namedContexts(next)
      main.setSecureContext(contextOptions(next, next.clientAuthorities))
      contexts = named
    },
  }
}
