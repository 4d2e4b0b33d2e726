/** Validation of service addresses and IP families (KEP-563, dual-stack). */
import type { FieldErrors } from '../../schema/field-error.ts'
import { FieldPath } from '../../schema/field-path.ts'
import { asJson, repeats, validateAddress, validateSupported } from '../validation.ts'
import { isHeadless, needsClusterIP, type ServiceSpec } from './service-defaults.ts'

const root = FieldPath.of('spec')
const ips = root.child('clusterIPs')
const families = root.child('ipFamilies')

/** Validates the addresses; the allocator checks whether they are available. */
export function validateServiceAddresses(spec: ServiceSpec, errors: FieldErrors): void {
  if (!needsClusterIP(spec)) return
  const { clusterIP = '', clusterIPs = [], ipFamilies = [], ipFamilyPolicy } = spec
  if (clusterIP === '') {
    if (clusterIPs.length > 0) errors.invalid(ips, clusterIPs, 'must be empty when `clusterIP` is not specified')
  } else if (clusterIPs.length === 0) errors.required(ips)
  else if (clusterIPs[0] !== clusterIP) errors.invalid(ips, clusterIPs, 'first value must match `clusterIP`')
  const isRepeat = repeats()
  ipFamilies.forEach((family, index) => {
    validateSupported(family, ['IPv4', 'IPv6'], families.index(index), errors)
    if (isRepeat(family)) errors.duplicate(families.index(index), family)
  })
  if (ipFamilyPolicy !== undefined) {
    validateSupported(ipFamilyPolicy, ['PreferDualStack', 'RequireDualStack', 'SingleStack'], root.child('ipFamilyPolicy'), errors)
  }
  const before = errors.count
  clusterIPs.forEach((address, index) => {
    if (index > 0 || address !== 'None') validateAddress(address, 'ip', ips.index(index), errors)
    else if (clusterIPs.length > 1) errors.invalid(ips, clusterIPs, "'None' must be the first and only value")
  })
  const misplaced = errors.count > before
  if (clusterIPs.length > 2) errors.invalid(ips, clusterIPs, 'may only hold up to 2 values')
  if (misplaced) return
  const isV6 = (address: string) => address.includes(':')
  const found = new Set(clusterIPs.map(isV6))
  if (clusterIPs.length > 1 && found.size < 2) errors.invalid(ips, clusterIPs, 'may specify no more than one IP for each IP family')
  if (isHeadless(spec)) return
  clusterIPs.forEach((address, index) => {
    const family = ipFamilies[index]
    if (family !== 'IPv4' && family !== 'IPv6') return
    if (isV6(address) !== (family === 'IPv6')) {
      errors.invalid(ips.index(index), address, `expected an ${family} value as indicated by \`ipFamilies[${index}]\``)
    }
  })
}

/** The primary address and family are immutable; secondary ones may change (type ExternalName is exempt). */
export function validateServiceAddressUpdate(spec: ServiceSpec, old: ServiceSpec, errors: FieldErrors): void {
  if (!needsClusterIP(spec) || !needsClusterIP(old)) return
  if (isHeadless(spec) && isHeadless(old)) return
  validateKept(spec, old, 'clusterIPs', 'clusterIP', errors)
  if (isHeadless(spec) === isHeadless(old)) validateKept(spec, old, 'ipFamilies', 'ipFamily', errors)
}

function validateKept(spec: ServiceSpec, old: ServiceSpec, name: 'clusterIPs' | 'ipFamilies', one: string, errors: FieldErrors): void {
  const now = spec[name] ?? []
  const before = old[name] ?? []
  const path = root.child(name)
  const isIP = name === 'clusterIPs'
  if (now.length === before.length) {
    before.forEach((value, index) => {
      if (value !== now[index]) errors.invalid(path.index(isIP ? index : 0), now, 'may not change once set')
    })
    return
  }
  const shown = isIP ? now : (spec.clusterIPs ?? [])
  if (now.length < before.length && (spec.clusterIPs ?? []).length === 0) {
    errors.invalid(path.index(0), asJson(now), `primary ${one} can not be unset`)
  }
  if (now.length > 0 && before.length > 0 && now[0] !== before[0]) errors.invalid(path.index(0), shown, 'may not change once set')
  if (now.length === 1 && now.length < before.length && spec.ipFamilyPolicy !== 'SingleStack') {
    const at = root.child('ipFamilyPolicy')
    errors.invalid(at, asJson(spec.ipFamilyPolicy), `must be set to 'SingleStack' when releasing the secondary ${one}`)
  }
}
