/** Conflicts and dependencies between flags, as rows. Those that depend on file contents are in file-exclusions.ts. */

import type { FeatureGate } from '../config/feature-gates.ts'
import { conflictsOf } from '../options/index.ts'
import {
  addressFamilies,
  admissionOverlap,
  concurrency,
  fairnessApi,
  issuersOnce,
  jsonLog,
  oidcFlags,
  oidcTogether,
  type Rule,
  uidHeaders,
} from './combination-rules.ts'
import { effectiveRange, emulation } from './emulation.ts'
import type { Flag } from './flag.ts'
import { gatesOfFlags } from './gates.ts'
import { optionsOfFlags } from './options.ts'
import type { ParsedFlags } from './parse.ts'
import { flags as allFlags, type FlagName } from './rows/index.ts'

/** The flags of `names` that are set. */
function setOf(flags: ParsedFlags, names: readonly FlagName[]): readonly FlagName[] {
  return names.filter((name) => flags.isSet(name))
}

/** `one` excludes each of the others. */
const notWith =
  (one: FlagName, ...others: readonly FlagName[]): Rule =>
  (flags) =>
    flags.isSet(one)
      ? setOf(flags, others).map((other) => `${flags.spelling(one)} and ${flags.spelling(other)} are mutually exclusive`)
      : undefined

/** Each requires the other. */
const together =
  (one: FlagName, other: FlagName): Rule =>
  (flags) =>
    flags.isSet(one) === flags.isSet(other) ? undefined : `${flags.spelling(one)} and ${flags.spelling(other)} must be set together`

/** `one` requires `other`. */
const needs =
  (one: FlagName, other: FlagName): Rule =>
  (flags) =>
    flags.isSet(one) && !flags.isSet(other) ? `${flags.spelling(one)} needs ${flags.spelling(other)}` : undefined

/** What threads can't have, and why. */
const oneThreadOnly =
  (reasons: { readonly [name in FlagName]?: string }): Rule =>
  (flags) =>
    flags.get('workers') === 1
      ? undefined
      : setOf(flags, Object.keys(reasons) as FlagName[]).map((name) => `${flags.spelling(name)} needs --workers=1: ${reasons[name]}`)

/** Setting a flag to its default requires nothing. */
const isOff = (value: unknown) => value === false || value === 0 || value === ''

const needsGate =
  (gate: FeatureGate, ...names: readonly FlagName[]): Rule =>
  (flags, gates) =>
    gates.enabled(gate)
      ? undefined
      : setOf(flags, names)
          .filter((name) => !isOff(flags.get(name)))
          .map((name) => `${flags.spelling(name)} needs --feature-gates=${gate}=true`)

const rules: readonly Rule[] = [
  notWith(
    'authorization-config',
    'authorization-mode',
    'authorization-webhook-config-file',
    'authorization-webhook-version',
    'authorization-webhook-cache-authorized-ttl',
    'authorization-webhook-cache-unauthorized-ttl',
  ),
  notWith('allow-metric-labels', 'allow-metric-labels-manifest'),
  notWith('service-account-signing-endpoint', 'service-account-signing-key-file', 'service-account-key-file'),
  needs('service-account-signing-key-file', 'service-account-key-file'),
  notWith('admission-control', 'enable-admission-plugins', 'disable-admission-plugins'),
  admissionOverlap,
  // With a file, which excludes these flags, file-exclusions.ts reports the conflict.
  (flags) => (flags.isSet('authentication-config') ? undefined : oidcTogether(flags)),
  issuersOnce,
  together('tls-cert-file', 'tls-private-key-file'),
  together('kvstore-certfile', 'kvstore-keyfile'),
  together('proxy-client-cert-file', 'proxy-client-key-file'),
  together('nodeagent-client-certificate', 'nodeagent-client-key'),
  needs('kvstore-servers-overrides', 'kvstore-servers'),
  oneThreadOnly({
    'kvstore-servers': 'workers share the embedded store; start several servers instead',
    'permit-port-sharing': 'workers share the port of one process',
    'peer-ca-file': 'servers with peers share etcd',
    'debug-socket-path': 'the main thread has the socket, and serves no requests',
    'enable-branches': 'a branch is in the memory of one thread, where requests to other workers would not find it',
  }),
  (flags) =>
    flags.get('encryption-provider-config-automatic-reload') && !flags.isSet('encryption-provider-config')
      ? '--encryption-provider-config-automatic-reload needs --encryption-provider-config'
      : undefined,
  effectiveRange,
  emulation('emulation-forward-compatible'),
  emulation('runtime-config-emulation-forward-compatible'),
  addressFamilies,
  concurrency,
  fairnessApi,
  uidHeaders,
  needsGate('StructuredAuthenticationConfiguration', 'authentication-config'),
  needsGate('StructuredAuthorizationConfiguration', 'authorization-config'),
  needsGate('ExternalServiceAccountTokenSigner', 'service-account-signing-endpoint'),
  needsGate('RemoteRequestHeaderUID', 'requestheader-uid-headers'),
  needsGate('UnknownVersionInteroperabilityProxy', 'peer-advertise-ip', 'peer-advertise-port', 'peer-ca-file'),
  needsGate(
    'LoggingAlphaOptions',
    'log-text-info-buffer-size',
    'log-text-split-stream',
    'log-json-info-buffer-size',
    'log-json-split-stream',
  ),
  jsonLog,
]

/** The flag of each option, or of a member of its value; of options that several flags set, the first one. */
const flagOf = new Map<string, FlagName>([
  ...(Object.entries(allFlags) as [FlagName, Flag][]).flatMap(([name, { option }]) => (option ? [[option.name, name] as const] : [])),
  ['proxyClientFiles', 'proxy-client-cert-file'],
  ['authorizationFiles.policy', 'authorization-policy-file'],
  ['authorizationFiles.webhook', 'authorization-webhook-config-file'],
])

/** Conflicts between the options that the flags set. */
const optionConflicts: Rule = (flags) => {
  const named = (option: string) => flags.spelling(flagOf.get(option) as FlagName)
  return conflictsOf(optionsOfFlags(flags), named).map(
    ({ at, value, message }) => `${named(at)}${value === undefined ? '' : `: invalid value "${value}":`} ${message}`,
  )
}

/**
 * All conflicts between flags, one line each.
 * @throws FlagError when --feature-gates is malformed.
 */
export function flagConflicts(flags: ParsedFlags): readonly string[] {
  const gates = gatesOfFlags(flags)
  return [...rules, optionConflicts].flatMap((rule) => rule(flags, gates) ?? [])
}

/** The `--oidc-*` flags that are set. */
export function oidcFlagsSet(flags: ParsedFlags): readonly FlagName[] {
  return setOf(flags, oidcFlags)
}
