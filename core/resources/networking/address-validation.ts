/** Validation of IPAddress and ServiceCIDR. */
import type { FieldErrors } from '../../schema/field-error.ts'
import { FieldPath } from '../../schema/field-path.ts'
import { parseNetwork } from '../../schema/formats/ip.ts'
import { given } from '../../schema/json/given-empty.ts'
import type { HookContext, Infer } from '../../schema/model.ts'
import { validateFormat, validateRequiredFormat } from '../validation.ts'
import type { IPAddress } from './ipaddress.ts'
import type { ServiceCIDR } from './servicecidr.ts'

const immutable = 'field is immutable'

/** The name of an IPAddress must be the canonical address. */
export function validateIPAddress({ spec }: Infer<typeof IPAddress>, errors: FieldErrors): void {
  const parent = spec?.parentRef
  const at = FieldPath.of('spec', 'parentRef')
  if (parent == null) {
    errors.required(at)
    return
  }
  if (parent.group) validateFormat(parent.group, 'dns1123Subdomain', at.child('group'), errors)
  validateRequiredFormat(parent.resource, 'pathSegment', at.child('resource'), errors)
  validateRequiredFormat(parent.name, 'pathSegment', at.child('name'), errors)
  if (parent.namespace) validateFormat(parent.namespace, 'pathSegment', at.child('namespace'), errors)
}

type Ranges = Infer<typeof ServiceCIDR>

/** A second range may be added (dual stack); others can't change. */
export function validateServiceCIDR(object: Ranges, errors: FieldErrors, _context: HookContext, old?: Ranges): void {
  const at = FieldPath.of('spec', 'cidrs')
  const cidrs = object.spec?.cidrs ?? []
  const before = old?.spec?.cidrs ?? []
  const isSame = before.length === cidrs.length
  const isMore = before.length === 1 && cidrs.length === 2
  if (old && !isSame && !isMore) {
    errors.invalid(at, (object.spec && given(object.spec, 'cidrs')) ?? null, immutable)
    return
  }
  before.forEach((cidr, index) => {
    if (cidr !== cidrs[index]) errors.invalid(at.index(index), cidrs[index], immutable)
  })
  if (!old || isMore) validateRanges(cidrs, at, errors)
}

function validateRanges(cidrs: readonly string[], at: FieldPath, errors: FieldErrors): void {
  const families = new Set(cidrs.map((cidr) => parseNetwork(cidr)?.address.bytes.length))
  if (cidrs.length === 0) errors.required(at, 'at least one CIDR required')
  else if (cidrs.length > 2) errors.addAsIs('FieldValueInvalid', at, { CIDRs: [...cidrs] }, 'may only hold up to 2 values')
  else {
    cidrs.forEach((cidr, index) => {
      validateFormat(cidr, 'strictCIDR', at.index(index), errors)
    })
    if (cidrs.length === 2 && families.size === 1 && !families.has(undefined))
      errors.invalid(at, [...cidrs], 'may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64')
  }
}
