import { X509Certificate } from 'node:crypto'
import { isIP } from 'node:net'
import { DEFAULT_CIPHERS } from 'node:tls'
import { normalAddress } from './connection.ts'

export interface KeyPair {
  /** PEM, leaf first. */
  readonly cert: string
  readonly key: string
}

/** A certificate for certain server names. Names may start with `*.` or be IP addresses; without any, the certificate's own count. */
export interface NamedKeyPair extends KeyPair {
  readonly names?: readonly string[]
}

/** The names in a certificate: subject alternative names, or the common name when there are none. */
function certificateNames(cert: string): string[] {
  const { subjectAltName, subject } = new X509Certificate(cert)
  const names = (subjectAltName ?? '').split(', ').flatMap((entry) => /^(?:DNS|IP Address):(.+)$/.exec(entry)?.[1] ?? [])
  if (names.length > 0) return names
  return /^CN=(.+)$/m.exec(subject)?.slice(1) ?? []
}

const normalName = (name: string) => (isIP(name) === 0 ? name.toLowerCase().replace(/\.$/, '') : normalAddress(name))

/**
 * Finds the certificate for a server name or a local address. Exact names take precedence over wildcards, configured names over names read
 * from a certificate, and earlier entries over later ones.
 */
export function nameTable<T>(entries: readonly (readonly [pair: NamedKeyPair, value: T])[]): (name: string) => T | undefined {
  const table = new Map<string, T>()
  const add = (names: readonly string[], value: T) => {
    for (const name of names.map(normalName)) if (!table.has(name)) table.set(name, value)
  }
  for (const [{ names = [] }, value] of entries) add(names, value)
  for (const [{ cert, names = [] }, value] of entries) if (names.length === 0) add(certificateNames(cert), value)
  return (name) => {
    const exact = normalName(name)
    return table.get(exact) ?? (isIP(exact) === 0 ? table.get(exact.replace(/^[^.]+/, '*')) : undefined)
  }
}

/** Values of `--tls-min-version`. */
export const tlsVersions = { VersionTLS10: 'TLSv1', VersionTLS11: 'TLSv1.1', VersionTLS12: 'TLSv1.2', VersionTLS13: 'TLSv1.3' } as const

/** Values of `--tls-cipher-suites` (IANA names), and what OpenSSL calls them. Those of TLS 1.3 are always on. */
export const cipherSuites = {
  TLS_AES_128_GCM_SHA256: 'TLS_AES_128_GCM_SHA256',
  TLS_AES_256_GCM_SHA384: 'TLS_AES_256_GCM_SHA384',
  TLS_CHACHA20_POLY1305_SHA256: 'TLS_CHACHA20_POLY1305_SHA256',
  TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA: 'ECDHE-ECDSA-AES128-SHA',
  TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA256: 'ECDHE-ECDSA-AES128-SHA256',
  TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256: 'ECDHE-ECDSA-AES128-GCM-SHA256',
  TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA: 'ECDHE-ECDSA-AES256-SHA',
  TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384: 'ECDHE-ECDSA-AES256-GCM-SHA384',
  TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305: 'ECDHE-ECDSA-CHACHA20-POLY1305',
  TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256: 'ECDHE-ECDSA-CHACHA20-POLY1305',
  TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA: 'ECDHE-RSA-AES128-SHA',
  TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA256: 'ECDHE-RSA-AES128-SHA256',
  TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256: 'ECDHE-RSA-AES128-GCM-SHA256',
  TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA: 'ECDHE-RSA-AES256-SHA',
  TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384: 'ECDHE-RSA-AES256-GCM-SHA384',
  TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305: 'ECDHE-RSA-CHACHA20-POLY1305',
  TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256: 'ECDHE-RSA-CHACHA20-POLY1305',
  TLS_RSA_WITH_AES_128_CBC_SHA: 'AES128-SHA',
  TLS_RSA_WITH_AES_128_CBC_SHA256: 'AES128-SHA256',
  TLS_RSA_WITH_AES_128_GCM_SHA256: 'AES128-GCM-SHA256',
  TLS_RSA_WITH_AES_256_CBC_SHA: 'AES256-SHA',
  TLS_RSA_WITH_AES_256_GCM_SHA384: 'AES256-GCM-SHA384',
} as const

export type CipherSuite = keyof typeof cipherSuites

const tls13 = Object.values(cipherSuites).filter((name) => name.startsWith('TLS_'))

const cipherText = (names: readonly CipherSuite[]) => [...new Set([...tls13, ...names.map((name) => cipherSuites[name])])].join(':')

/** True for TLS 1.0 and 1.1: their SHA-1 signatures need OpenSSL's lowest security level. */
const isWeak = (version: keyof typeof tlsVersions) => version === 'VersionTLS10' || version === 'VersionTLS11'

/** Node's default suites, but with AES-128 first in TLS 1.3, as in Go's crypto/tls: it costs a quarter less than AES-256. */
const defaultSuites = [...new Set([...tls13, ...DEFAULT_CIPHERS.split(':')])].join(':')

/** Value of Node's `ciphers` option. `names` empty: the default suites. */
export function cipherOption(minVersion: keyof typeof tlsVersions, names: readonly CipherSuite[]): string {
  const text = names.length > 0 ? cipherText(names) : defaultSuites
  return isWeak(minVersion) ? `${text}:@SECLEVEL=0` : text
}
