/** Through which proxies outgoing connections lead, by traffic class (KEP-1281; apiserver/pkg/server/egressselector/config.go). */
import * as z from 'zod/mini'
import type { FieldErrors } from '../../schema/field-error.ts'
import { FieldPath } from '../../schema/field-path.ts'
import { list, optional, struct, text, typeMeta } from './fields.ts'
import { fileKind } from './kind.ts'

const tls = z.strictObject({ caBundle: text, clientKey: text, clientCert: text, tlsServerName: text })
const transport = z.strictObject({
  tcp: optional(z.strictObject({ url: text, tlsConfig: optional(tls) })),
  uds: optional(z.strictObject({ udsName: text })),
})
const connection = struct({ proxyProtocol: text, transport: optional(transport) })
const schema = z.strictObject({ ...typeMeta, egressSelections: list(z.strictObject({ name: text, connection })) })

export type EgressConnection = z.output<typeof connection>
export type EgressTls = z.output<typeof tls>

type Tcp = NonNullable<NonNullable<EgressConnection['transport']>['tcp']>
type Uds = NonNullable<NonNullable<EgressConnection['transport']>['uds']>

const names = ['cluster', 'controlplane', 'etcd']
/** `master` is the deprecated name of `controlplane`. */
const canonicalName = (name: string) => (name === 'master' ? 'controlplane' : name.toLowerCase())

/** The reference reports every fault below this path, without the position in the list. */
const at = FieldPath.of('service', 'connection')

function validateTls(config: EgressTls | undefined, errors: FieldErrors): void {
  const path = at.child('tlsConfig')
  if (config === undefined) errors.required(path, 'TLSConfig must be present when using HTTPS')
  if (config?.clientCert === '') errors.invalid(path.child('clientCert'), 'nil', 'Using TLS requires clientCert')
  if (config?.clientKey === '') errors.invalid(path.child('clientKey'), 'nil', 'Using TLS requires requires clientKey')
}

function validateTcp({ url, tlsConfig }: Tcp, errors: FieldErrors): void {
  if (url.startsWith('https://')) validateTls(tlsConfig, errors)
  else if (!url.startsWith('http://')) errors.invalid(at.child('url'), url, 'supported connection protocols are http:// and https://')
  else if (tlsConfig !== undefined) errors.invalid(at.child('tlsConfig'), 'nil', 'config must not be present when using HTTP')
  if (!URL.canParse(url)) errors.invalid(at.child('url'), url, 'must be a URL')
}

function validateUds({ udsName }: Uds, errors: FieldErrors): void {
  if (udsName === '') errors.invalid(at.child('udsName'), 'nil', 'must be present for UDS connections')
}

/** Validates the transport of a protocol. */
const protocols: { readonly [name: string]: (transport: EgressConnection['transport'], errors: FieldErrors) => void } = {
  Direct(transport, errors) {
    if (transport !== undefined) errors.invalid(at.child('transport'), 'direct', 'config must be absent for direct connect')
  },
  GRPC(transport, errors) {
    if (transport === undefined) errors.required(at.child('transport'), 'transport must be set for GRPC')
    else if (transport.uds === undefined) errors.required(at.child('uds'), 'UDS must be set with GRPC')
    else validateUds(transport.uds, errors)
  },
  HTTPConnect(transport, errors) {
    if (transport === undefined) return errors.required(at.child('transport'), 'transport must be set for HTTPConnect')
    const { tcp, uds } = transport
    if (tcp !== undefined && uds !== undefined) errors.invalid(at.child('tcp'), tcp.url, 'TCP and UDS cannot both be set')
    else if (tcp !== undefined) validateTcp(tcp, errors)
    else if (uds !== undefined) validateUds(uds, errors)
    else errors.required(at.child('tcp'), 'One of TCP or UDS must be set')
  },
}

export const egressSelectorConfiguration = fileKind({
  kinds: [{ kind: 'EgressSelectorConfiguration', versions: ['v1beta1', 'v1alpha1'].map((version) => `apiserver.<domain>/${version}`) }],
  schema,
  validate({ egressSelections }, errors) {
    for (const { connection } of egressSelections) {
      const validate = Object.hasOwn(protocols, connection.proxyProtocol) ? protocols[connection.proxyProtocol] : undefined
      if (validate) validate(connection.transport, errors)
      else errors.notSupported(at.child('protocol'), connection.proxyProtocol, ['Direct', 'HTTPConnect', 'GRPC'])
    }
    const seen = new Set<string>()
    for (const [index, { name }] of egressSelections.entries()) {
      const canonical = canonicalName(name)
      if (seen.has(canonical)) errors.duplicate(at.index(index), canonical)
      else if (!names.includes(canonical)) errors.notSupported(at, canonical, names)
      seen.add(canonical)
    }
  },
  complete: (file) => ({
    ...file,
    egressSelections: file.egressSelections.map((selection) => ({ ...selection, name: canonicalName(selection.name) })),
  }),
})
