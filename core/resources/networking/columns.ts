import { ageColumn, defaultMarkColumn, nameColumn, none, selectorColumn, textColumn } from '../cells.ts'
import { type Entrance, entrances } from '../core/service-columns.ts'

interface IngressRow {
  readonly spec?:
    | { readonly rules?: readonly { readonly host?: string | undefined }[] | undefined; readonly tls?: readonly object[] | undefined }
    | undefined
  readonly status?:
    | {
        readonly loadBalancer?:
          | {
              readonly ingress?: readonly Entrance[] | undefined
            }
          | undefined
      }
    | undefined
}

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
  textColumn<IngressRow>('Address', 'Where traffic enters.', ({ status }) => entrances(status?.loadBalancer?.ingress).join(',')),
  textColumn<IngressRow>('Ports', 'Ports that are open.', ({ spec }) => (spec?.tls?.length ? '80, 443' : '80')),
  ageColumn,
]

interface IngressClassRow {
  readonly spec?:
    | { readonly parameters?: { readonly apiGroup?: string | undefined; readonly kind: string; readonly name: string } | undefined }
    | undefined
}

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

interface ServiceCIDRRow {
  readonly spec?: { readonly cidrs?: readonly string[] | undefined } | undefined
}

export const serviceCIDRColumns = [
  nameColumn,
  textColumn<ServiceCIDRRow>('CIDRs', 'Ranges of addresses.', ({ spec }) => (spec?.cidrs ?? []).join(',')),
  ageColumn,
]

interface IPAddressRow {
  readonly spec?:
    | {
        readonly parentRef?:
          | {
              readonly group?: string | undefined
              readonly resource?: string | undefined
              readonly namespace?: string | undefined
              readonly name?: string | undefined
            }
          | undefined
      }
    | undefined
}

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
