import type { Infer } from '../../schema/model.ts'
import { ageColumn, defaultMarkColumn, nameColumn, none, selectorColumn, textColumn } from '../cells.ts'
import { ingressAddresses } from '../core/service-columns.ts'
import type { Ingress } from './ingress.ts'
import type { IngressClass } from './ingressclass.ts'
import type { IPAddress } from './ipaddress.ts'
import type { ServiceCIDR } from './servicecidr.ts'

type IngressRow = Infer<typeof Ingress>

/** Rules without a host count as not shown once three others are shown. */
function hostsText({ spec }: IngressRow): string {
  const rules = spec?.rules ?? []
  const hosts: string[] = []
  let more = false
  for (const { host } of rules) {
    more ||= hosts.length === 3
    if (!more && host) hosts.push(host)
  }
  if (hosts.length === 0) return '*'
  return more ? `${hosts.join(',')} + ${rules.length - 3} more...` : hosts.join(',')
}

export const ingressColumns = [
  nameColumn,
  textColumn('Class', 'Class that implements it.', '.spec.ingressClassName', none),
  textColumn('Hosts', 'Hosts that its rules are for.', hostsText),
  textColumn<IngressRow>('Address', 'Where traffic enters.', ({ status }) => ingressAddresses(status?.loadBalancer?.ingress).join(',')),
  textColumn<IngressRow>('Ports', 'Ports that are open.', ({ spec }) => (spec?.tls?.length ? '80, 443' : '80')),
  ageColumn,
]

type IngressClassRow = Infer<typeof IngressClass>

function parametersText({ spec }: IngressClassRow): string {
  if (!spec?.parameters) return none
  const { apiGroup, kind, name } = spec.parameters
  return `${apiGroup === undefined ? kind : `${kind}.${apiGroup}`}/${name}`
}

export const ingressClassColumns = [
  defaultMarkColumn('ingressclass.<labels>/is-default-class'),
  textColumn('Controller', 'Controller of the class.', '.spec.controller'),
  textColumn('Parameters', 'Object with further settings.', parametersText),
  ageColumn,
]

export const networkPolicyColumns = [nameColumn, selectorColumn('.spec.podSelector', 'Pod-Selector', 'Pods that it is for.'), ageColumn]

type ServiceCIDRRow = Infer<typeof ServiceCIDR>

export const serviceCIDRColumns = [
  nameColumn,
  textColumn<ServiceCIDRRow>('CIDRs', 'Ranges of addresses.', ({ spec }) => (spec?.cidrs ?? []).join(',')),
  ageColumn,
]

type IPAddressRow = Infer<typeof IPAddress>

function parentText({ spec }: IPAddressRow): string {
  if (!spec?.parentRef) return none
  const { group, resource = '', namespace, name = '' } = spec.parentRef
  const kind = (group ? `${resource}.${group}` : resource).toLowerCase()
  return namespace ? `${kind}/${namespace}/${name}` : `${kind}/${name}`
}

export const ipAddressColumns = [
  nameColumn,
  textColumn('ParentRef', 'Object that has the address.', parentText),
  { ...ageColumn, unannounced: true as const },
]
