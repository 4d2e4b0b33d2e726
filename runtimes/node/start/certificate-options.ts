/** Certificates and the listener as the flags describe them, as plain data. */
import type { ParsedFlags } from '../../../core/flags/parse.ts'
import { addressRange } from '../../../core/objects/registry/allocators/address-range.ts'
import type { ListenOptions } from '../network/listener.ts'
import type { CertificateOptions } from '../pki/certificates.ts'
import { advertisedAddress } from './address.ts'
import { inMemory } from './in-memory.ts'

export function certificateOptions(flags: ParsedFlags): CertificateOptions {
  const directory = flags.get('data-dir')
  const external = flags.get('external-hostname')
  const [certFile, keyFile] = [flags.get('tls-cert-file'), flags.get('tls-private-key-file')]
  const keepsData = directory !== inMemory && flags.get('kvstore-servers').length === 0
  const serviceAddresses = flags.get('service-cluster-ip-range').flatMap((range) => addressRange(range)?.first ?? [])
  return {
    certDir: flags.get('cert-dir'),
    ...(keepsData && { dataDir: directory }),
    service: flags.platform.service,
    hosts: external ? [external] : [],
    ips: [advertisedAddress(flags.get('advertise-address'), flags.get('bind-address')), ...serviceAddresses],
    ...(certFile && keyFile && { certFile, keyFile }),
    named: flags.get('tls-sni-cert-key'),
  }
}

/** TLS and HTTP options of the listener. */
export function listenOptions(flags: ParsedFlags): Omit<ListenOptions, 'cert' | 'key'> {
  const minVersion = flags.get('tls-min-version')
  const cipherSuites = flags.get('tls-cipher-suites')
  const streams = flags.get('http2-max-streams-per-connection')
  return {
    address: flags.get('bind-address'),
    port: flags.get('secure-port'),
    http2: !flags.get('disable-http2-serving'),
    sharePort: flags.get('permit-port-sharing'),
    ...(minVersion && { minVersion }),
    ...(cipherSuites.length > 0 && { cipherSuites: cipherSuites as NonNullable<ListenOptions['cipherSuites']> }),
    ...(streams && { maxConcurrentStreams: streams }),
  }
}
