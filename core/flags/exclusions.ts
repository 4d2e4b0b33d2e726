/** Conflicts and dependencies between flags, as rows. Those that depend on file contents are in file-exclusions.ts. */

import type { FeatureGate } from '../config/feature-gates.ts'
import {
  addressFamilies,
  admissionOverlap,
  audit,
  concurrency,
  fairnessApi,
  issuersOnce,
  jsonLog,
  modeWithFile,
  nodePort,
  oidcFlags,
  oidcTogether,
  type Rule,
  uidHeaders,
} from './combination-rules.ts'
import { effectiveRange, emulation } from './emulation.ts'
import { gatesOfFlags } from './gates.ts'
import type { ParsedFlags } from './parse.ts'
import type { FlagName } from './rows/index.ts'

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

/** The first duration must be longer than the second. */
const longer =
  (one: FlagName & `coordinated-${string}`, other: FlagName & `coordinated-${string}`): Rule =>
  (flags) =>
    flags.get(one) > flags.get(other) ? undefined : `${flags.spelling(one)} must be longer than ${flags.spelling(other)}`

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
  modeWithFile('ABAC', 'authorization-policy-file'),
  modeWithFile('Webhook', 'authorization-webhook-config-file'),
  // With a file, which excludes these flags, file-exclusions.ts reports the conflict.
  (flags) => (flags.isSet('authentication-config') ? undefined : oidcTogether(flags)),
  issuersOnce,
  together('tls-cert-file', 'tls-private-key-file'),
  together('kvstore-certfile', 'kvstore-keyfile'),
  together('proxy-client-cert-file', 'proxy-client-key-file'),
  together('nodeagent-client-certificate', 'nodeagent-client-key'),
  needs('kvstore-servers-overrides', 'kvstore-servers'),
  (flags) =>
    flags.get('encryption-provider-config-automatic-reload') && !flags.isSet('encryption-provider-config')
      ? '--encryption-provider-config-automatic-reload needs --encryption-provider-config'
      : undefined,
  effectiveRange,
  emulation('emulation-forward-compatible'),
  emulation('runtime-config-emulation-forward-compatible'),
  nodePort,
  addressFamilies,
  concurrency,
  fairnessApi,
  uidHeaders,
  longer('coordinated-leadership-lease-duration', 'coordinated-leadership-renew-deadline'),
  longer('coordinated-leadership-renew-deadline', 'coordinated-leadership-retry-period'),
  audit('log'),
  audit('webhook'),
  needsGate('StructuredAuthenticationConfiguration', 'authentication-config'),
  needsGate('StructuredAuthorizationConfiguration', 'authorization-config'),
  needsGate('ExternalServiceAccountTokenSigner', 'service-account-signing-endpoint'),
  needsGate('RemoteRequestHeaderUID', 'requestheader-uid-headers'),
  needsGate('UnknownVersionInteroperabilityProxy', 'peer-advertise-ip', 'peer-advertise-port', 'peer-ca-file'),
  needs('peer-ca-file', 'proxy-client-cert-file'),
  needsGate(
    'LoggingAlphaOptions',
    'log-text-info-buffer-size',
    'log-text-split-stream',
    'log-json-info-buffer-size',
    'log-json-split-stream',
  ),
  jsonLog,
]

/**
 * All conflicts between flags, one line each.
 * @throws FlagError when --feature-gates is malformed.
 */
export function flagConflicts(flags: ParsedFlags): readonly string[] {
  const gates = gatesOfFlags(flags)
  return rules.flatMap((rule) => rule(flags, gates) ?? [])
}

/** The `--oidc-*` flags that are set. */
export function oidcFlagsSet(flags: ParsedFlags): readonly FlagName[] {
  return setOf(flags, oidcFlags)
}
