import { DecodeError } from '../../schema/decode-error.ts'
import { choice, custom, string, strings } from '../flag-types.ts'
import { sets } from '../option-flag.ts'

/** Names (IANA) of cipher suites for --tls-cipher-suites. Those of TLS 1.3 can't be disabled. */
const cipherSuites = [
  'TLS_AES_128_GCM_SHA256',
  'TLS_AES_256_GCM_SHA384',
  'TLS_CHACHA20_POLY1305_SHA256',
  'TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA',
  'TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA256',
  'TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256',
  'TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA',
  'TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384',
  'TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305',
  'TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256',
  'TLS_ECDHE_ECDSA_WITH_RC4_128_SHA',
  'TLS_ECDHE_RSA_WITH_3DES_EDE_CBC_SHA',
  'TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA',
  'TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA256',
  'TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256',
  'TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA',
  'TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384',
  'TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305',
  'TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256',
  'TLS_ECDHE_RSA_WITH_RC4_128_SHA',
  'TLS_RSA_WITH_3DES_EDE_CBC_SHA',
  'TLS_RSA_WITH_AES_128_CBC_SHA',
  'TLS_RSA_WITH_AES_128_CBC_SHA256',
  'TLS_RSA_WITH_AES_128_GCM_SHA256',
  'TLS_RSA_WITH_AES_256_CBC_SHA',
  'TLS_RSA_WITH_AES_256_GCM_SHA384',
  'TLS_RSA_WITH_RC4_128_SHA',
] as const

/** Certificate and key files with their server names; without names, those in the certificate. */
export interface NamedCertificate {
  readonly certificate: string
  readonly key: string
  readonly names: readonly string[]
}

/** Only the first colon separates, because names may be IPv6 addresses. */
function readNamedCertificate(text: string): readonly NamedCertificate[] {
  const at = text.indexOf(':')
  const list = (part: string) => part.split(',').map((each) => each.trim())
  const [certificate = '', key = '', ...more] = list(at === -1 ? text : text.slice(0, at))
  const names = at === -1 ? [] : list(text.slice(at + 1))
  if (certificate === '' || key === '' || more.length > 0) throw new DecodeError('must be certificate,key[:name,…]')
  if (names.includes('')) throw new DecodeError('must not have empty names')
  return [{ certificate, key, names }]
}

export const tlsFlags = {
  'tls-cert-file': string({
    path: 'file',
    help: 'Serving certificate, followed by intermediate CA certificates. Without certificate and key, a self-signed pair is generated in --cert-dir.',
  }),
  'tls-private-key-file': string({ path: 'file', help: 'Key of --tls-cert-file.' }),
  'cert-dir': string({
    path: 'directory',
    default: ({ platform }) => platform.certDir,
    help: 'Directory of generated certificates. Ignored when certificate and key are given.',
  }),
  'tls-sni-cert-key': custom(
    {
      label: 'cert,key[:names]',
      read: readNamedCertificate,
      join: (all) => all.flat(),
      show: (value: readonly NamedCertificate[]) => value.map(({ certificate, key }) => `${certificate},${key}`).join(' '),
    },
    {
      default: [],
      help: 'Certificate and key for certain server names (SNI), as certificate,key[:name,…]; names may be IP addresses or begin with *. Repeatable. Exact names take precedence over wildcards, and names in the flag over names in the certificate.',
    },
  ),
  'tls-cipher-suites': strings({
    oneOf: cipherSuites,
    help: 'Allowed cipher suites. Empty: the defaults of the runtime.',
  }),
  'tls-min-version': choice({
    oneOf: ['VersionTLS10', 'VersionTLS11', 'VersionTLS12', 'VersionTLS13'],
    help: 'Minimum TLS version: VersionTLS10, VersionTLS11, VersionTLS12 (the default) or VersionTLS13.',
  }),
  'strict-transport-security-directives': strings(sets('serving', 'hstsDirectives')),
  'nodeagent-certificate-authority': string({
    path: 'file',
    help: 'CA bundle for the certificates of node agents. Without it, they are not verified.',
  }),
  'nodeagent-client-certificate': string({ path: 'file', help: 'Client certificate for calls to node agents.' }),
  'nodeagent-client-key': string({ path: 'file', help: 'Key of --nodeagent-client-certificate.' }),
}
