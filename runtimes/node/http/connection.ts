import { SocketAddress } from 'node:net'
import type { TLSSocket } from 'node:tls'
import type { Connection } from '../../../core/ports.ts'
import { whenSent } from './sent.ts'
import { hasUpgrades, upgrade } from './upgrade.ts'

/** Canonical form of an address: IPv4 in place of IPv4-mapped IPv6 (RFC 4291 2.5.5.2), IPv6 as in RFC 5952. */
export function normalAddress(address: string): string {
  if (!address.includes(':')) return address
  if (/^::ffff:\d+\.\d+\.\d+\.\d+$/i.test(address)) return address.slice(7)
  return new SocketAddress({ address: address.replace(/%.*$/, ''), family: 'ipv6' }).address
}

/** Leaf first, in the order of the chain that the client sent; empty when it sent none. */
function peerCertificates(socket: TLSSocket): readonly Uint8Array[] {
  const chain: Uint8Array[] = []
  for (let certificate = socket.getPeerX509Certificate(); certificate !== undefined; certificate = certificate.issuerCertificate) {
    chain.push(new Uint8Array(certificate.raw))
  }
  return chain
}

/** Describes the peer of an accepted socket. Certificates are read on first access. */
export function connectionOf(socket: TLSSocket): Connection {
  let certificates: readonly Uint8Array[] | undefined
  const servername = (socket as { servername?: unknown }).servername
  return {
    whenSent,
    ...(hasUpgrades && { upgrade }),
    remoteAddress: normalAddress(socket.remoteAddress ?? ''),
    remotePort: socket.remotePort ?? 0,
    protocol: socket.alpnProtocol === 'h2' ? 'h2' : 'http/1.1',
    tls: {
      version: socket.getProtocol() ?? '',
      ...(typeof servername === 'string' && servername !== '' && { serverName: servername }),
      get peerCertificates() {
        certificates ??= peerCertificates(socket)
        return certificates
      },
    },
  }
}
