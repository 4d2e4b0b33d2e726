/** Rules between flags that the table in exclusions.ts can't express as rows. */
import type { FeatureGates } from '../config/feature-gates.ts'
import { pluginsInBoth } from '../options/admission.ts'
import type { ParsedFlags } from './parse.ts'
import type { FlagName } from './rows/index.ts'

/** Returns error lines that name every flag concerned, or undefined. */
export type Rule = (flags: ParsedFlags, gates: FeatureGates) => string | undefined | readonly string[]

export const oidcFlags = [
  'oidc-issuer-url',
  'oidc-client-id',
  'oidc-ca-file',
  'oidc-username-claim',
  'oidc-username-prefix',
  'oidc-groups-claim',
  'oidc-groups-prefix',
  'oidc-required-claim',
  'oidc-signing-algs',
] as const satisfies readonly FlagName[]

export const admissionOverlap: Rule = (flags) =>
  pluginsInBoth(
    { enable: flags.get('enable-admission-plugins'), disable: flags.get('disable-admission-plugins') },
    (choice) => `--${choice}-admission-plugins`,
  )

/** The format JSON has a gate, and no verbosity of its own for files. */
export const jsonLog: Rule = (flags, gates) => {
  if (flags.get('logging-format') !== 'json') return undefined
  return [
    ...(gates.enabled('LoggingBetaOptions') ? [] : ['--logging-format=json needs --feature-gates=LoggingBetaOptions=true']),
    ...(flags.get('vmodule') ? ['--vmodule needs --logging-format=text'] : []),
  ]
}

export const concurrency: Rule = (flags) =>
  flags.get('enable-priority-and-fairness') && flags.get('max-requests-inflight') + flags.get('max-mutating-requests-inflight') === 0
    ? '--max-requests-inflight and --max-mutating-requests-inflight must add up to something positive with --enable-priority-and-fairness'
    : undefined

/** What decides whether the API of priority and fairness is served, the most specific first. */
const fairnessApis = ['flowcontrol.apiserver.<domain>/v1', 'api/ga', 'api/all']

/** Priority and fairness needs its API. */
export const fairnessApi: Rule = (flags) => {
  const given = flags.get('runtime-config')
  const decisive = fairnessApis.map((name) => flags.platform.name(name)).find((name) => given.has(name))
  return flags.get('enable-priority-and-fairness') && decisive !== undefined && given.get(decisive) === 'false'
    ? `--runtime-config=${decisive}=false needs --enable-priority-and-fairness=false`
    : undefined
}

/** The cluster's own service has an address of the first range, and the endpoint that this server advertises. */
export const addressFamilies: Rule = (flags) => {
  const address = flags.get('advertise-address')
  const [range = ''] = flags.get('service-cluster-ip-range')
  if (!address || flags.get('endpoint-reconciler-type') === 'none' || address.includes(':') === range.includes(':')) return undefined
  return `--advertise-address ${address} must be of the address family of --service-cluster-ip-range ${range}`
}

export const uidHeaders: Rule = (flags) => {
  const headers = flags.get('requestheader-uid-headers')
  return headers.length === 0 || headers.some((header) => header.toLowerCase() === 'x-remote-uid')
    ? undefined
    : '--requestheader-uid-headers must include the standard X-Remote-Uid header'
}

export const issuersOnce: Rule = (flags) => {
  const issuers = flags.get('service-account-issuer')
  const repeated = issuers.find((issuer, index) => issuers.indexOf(issuer) < index)
  return repeated === undefined ? undefined : `--service-account-issuer ${JSON.stringify(repeated)} must not be given twice`
}

export const oidcTogether = (flags: ParsedFlags) => {
  const others = oidcFlags.filter((name) => flags.isSet(name))
  if (others.length === 0 || (flags.isSet('oidc-issuer-url') && flags.isSet('oidc-client-id'))) return undefined
  return `--oidc-issuer-url and --oidc-client-id must be set together when --${others[0]} is set`
}
