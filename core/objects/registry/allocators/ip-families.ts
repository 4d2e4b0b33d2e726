/** Defaults ipFamilyPolicy and ipFamilies of a service, and rejects what the configured ranges can't provide. */
import { validateServiceAddresses } from '../../../resources/core/service-address-validation.ts'
import { type Family, isHeadless, needsClusterIP, type ServiceSpec } from '../../../resources/core/service-defaults.ts'
import { FieldErrors } from '../../../schema/field-error.ts'
import { FieldPath } from '../../../schema/field-path.ts'
import { sameItems } from '../../../schema/json/equal.ts'

const root = FieldPath.of('spec')
const paths = { clusterIPs: root.child('clusterIPs'), ipFamilies: root.child('ipFamilies'), ipFamilyPolicy: root.child('ipFamilyPolicy') }

const other = (family: Family): Family => (family === 'IPv4' ? 'IPv6' : 'IPv4')
const familyOf = (address: string): Family => (address.includes(':') ? 'IPv6' : 'IPv4')
const hasNoSelector = ({ selector }: ServiceSpec) => selector === undefined || Object.keys(selector).length === 0

/** A PreferDualStack service neither gains nor loses a family because the server's ranges changed. */
function keepsPreference(spec: ServiceSpec, old: ServiceSpec): boolean {
  const prefers = (policy: string | undefined) => policy === 'PreferDualStack'
  return (
    prefers(spec.ipFamilyPolicy) &&
    (old.ipFamilyPolicy === undefined || prefers(old.ipFamilyPolicy)) &&
    spec.type === old.type &&
    needsClusterIP(spec) &&
    sameItems(spec.clusterIPs, old.clusterIPs) &&
    sameItems(spec.ipFamilies, old.ipFamilies)
  )
}

/** Switching to a single family requires policy SingleStack; then the secondary values are dropped. */
function reduce(spec: ServiceSpec, old: ServiceSpec, errors: FieldErrors): void {
  const reduced = (now: readonly unknown[] = [], before: readonly unknown[] = []) => now.length > 0 && now.length < before.length
  if (spec.ipFamilyPolicy === 'SingleStack') {
    if (spec.clusterIPs && sameItems(spec.clusterIPs, old.clusterIPs)) spec.clusterIPs = spec.clusterIPs.slice(0, 1)
    if (spec.ipFamilies && sameItems(spec.ipFamilies, old.ipFamilies)) spec.ipFamilies = spec.ipFamilies.slice(0, 1)
    return
  }
  const refuse = (what: string) =>
    errors.invalid(paths.ipFamilyPolicy, spec.ipFamilyPolicy, `must be 'SingleStack' to release the secondary ${what}`)
  if (reduced(spec.clusterIPs, old.clusterIPs)) refuse('cluster IP')
  if (reduced(spec.ipFamilies, old.ipFamilies)) refuse('IP family')
}

function validateSingleStack({ ipFamilyPolicy, clusterIPs = [], ipFamilies = [] }: ServiceSpec, errors: FieldErrors): void {
  if (ipFamilyPolicy !== 'SingleStack') return
  const refuse = (what: string) =>
    errors.invalid(
      paths.ipFamilyPolicy,
      ipFamilyPolicy,
      `must be 'RequireDualStack' or 'PreferDualStack' when multiple ${what} are specified`,
    )
  if (clusterIPs.length === 2) refuse('cluster IPs')
  if (ipFamilies.length === 2) refuse('IP families')
}

/** Families implied by the requested addresses. */
function inferFamilies(spec: ServiceSpec, configured: readonly Family[], errors: FieldErrors): void {
  const { clusterIPs = [] } = spec
  const ipFamilies = spec.ipFamilies ?? []
  if (isHeadless(spec)) return
  for (let index = ipFamilies.length; index < clusterIPs.length; index++) {
    const family = familyOf(clusterIPs[index] ?? '')
    if (configured.includes(family)) ipFamilies.push(family)
    else errors.invalid(paths.clusterIPs.index(index), clusterIPs, `${family} is not configured on this cluster`)
  }
  if (ipFamilies.length > 0) spec.ipFamilies = ipFamilies
}

function validateConfigured({ ipFamilyPolicy, ipFamilies = [] }: ServiceSpec, configured: readonly Family[], errors: FieldErrors): void {
  if (ipFamilyPolicy === 'RequireDualStack' && configured.length < 2)
    errors.invalid(paths.ipFamilyPolicy, ipFamilyPolicy, 'this cluster is not configured for dual-stack services')
  for (const [index, family] of ipFamilies.entries())
    if (!configured.includes(family as Family)) errors.invalid(paths.ipFamilies.index(index), family, 'not configured on this cluster')
}

/** Sets policy and families in place. `configured`: families of the service ranges, the default one first. Returns errors. */
export function chooseFamilies(spec: ServiceSpec, old: ServiceSpec | undefined, configured: readonly [Family, ...Family[]]): FieldErrors {
  const errors = new FieldErrors()
  if (!needsClusterIP(spec) || (old && keepsPreference(spec, old))) return errors
  const free = isHeadless(spec) && hasNoSelector(spec)
  spec.ipFamilyPolicy ??= old?.ipFamilyPolicy ?? (free ? 'RequireDualStack' : 'SingleStack')
  validateServiceAddresses(spec, errors)
  if (errors.count > 0) return errors
  if (old) reduce(spec, old, errors)
  validateSingleStack(spec, errors)
  inferFamilies(spec, configured, errors)
  if (errors.count > 0) return errors
  if (!free) validateConfigured(spec, configured, errors)
  if (errors.count > 0) return errors
  if (!spec.ipFamilies?.length) spec.ipFamilies = [configured[0]]
  const [first] = spec.ipFamilies
  if (spec.ipFamilyPolicy !== 'SingleStack' && spec.ipFamilies.length === 1 && first && (free || configured.length === 2))
    spec.ipFamilies.push(other(first as Family))
  return errors
}
