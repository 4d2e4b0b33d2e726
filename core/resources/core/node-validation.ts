/** Validation of nodes. */
import type { FieldErrors } from '../../schema/field-error.ts'
import { FieldPath } from '../../schema/field-path.ts'
import { parseNetwork } from '../../schema/formats/ip.ts'
import { quote } from '../../schema/go/quote.ts'
import type { HookContext, Infer } from '../../schema/model.ts'
import { asJson, validateAddress } from '../validation.ts'
import type { Node as NodeSchema, NodeSpec } from './node.ts'
import { validateNodeAnnotations } from './node-annotation-validation.ts'
import { validateAmount } from './resource-validation.ts'
import { validateTaints } from './scheduling-validation.ts'

type Node = Infer<typeof NodeSchema>

const cidrs = FieldPath.of('spec', 'podCIDRs')

/** podCIDR equals the first of podCIDRs; old clients write only the former. */
export function pairPodCIDRs(spec: Infer<typeof NodeSpec>): void {
  const [first] = spec.podCIDRs ?? []
  if (spec.podCIDR && spec.podCIDR !== first) spec.podCIDRs = [spec.podCIDR]
  else if (first) spec.podCIDR = first
}

export function validateNode({ metadata, spec = {}, status = {} }: Node, errors: FieldErrors, context: HookContext): void {
  validateNodeAnnotations(metadata?.annotations, errors, context)
  validateTaints(spec.taints ?? [], FieldPath.of('metadata', 'taints'), errors)
  validateNodeResources(status, errors, context)
  const swap = status.nodeInfo?.swap?.capacity
  if (swap !== undefined && swap <= 0)
    errors.invalid(FieldPath.of('metadata', 'nodeSwapStatus', 'capacity'), swap, 'must be greater than zero')
  validateFeatures(status, errors)
  const ranges = spec.podCIDRs ?? []
  for (const [index, range] of ranges.entries()) validateAddress(range, 'cidr', cidrs.index(index), errors)
  if (ranges.length < 2) return
  const wrong = ranges.findIndex((range) => parseNetwork(range) === undefined)
  if (wrong >= 0) {
    const why = `invalid CIDR[${wrong}]: <nil> (invalid CIDR address: ${ranges[wrong]})`
    errors.internal(cidrs, `invalid PodCIDRs. failed to check with dual stack with error:${why}`)
  }
  const families = new Set(ranges.map((range) => range.includes(':')))
  if (wrong >= 0 || families.size < 2 || ranges.length > 2)
    errors.invalid(cidrs, ranges, 'may specify no more than one CIDR for each IP family')
}

function validateNodeResources(status: NonNullable<Node['status']>, errors: FieldErrors, context: HookContext): void {
  for (const side of ['capacity', 'allocatable'] as const) {
    const amounts = status[side] ?? {}
    const path = FieldPath.of('status', side)
    for (const name in amounts) validateAmount(name, amounts[name] as string, path.child(name), errors, context)
  }
}

const feature = /^[A-Z][A-Za-z0-9]*(\/[A-Za-z][A-Za-z0-9]*)*$/
const maxFeatureLength = 253
const featureForm =
  "must start with an UpperCamelCase segment, with subsequent segments separated by '/' (e.g., MyFeature or MyFeature/mySubFeature), and contain only alphanumeric characters and slashes"

/** Features for scheduling, in order (KEP-5328). */
function validateFeatures({ declaredFeatures: names = [] }: NonNullable<Node['status']>, errors: FieldErrors): void {
  const path = FieldPath.of('status', 'declaredFeatures')
  names.forEach((name, index) => {
    const start = `invalid feature name ${quote(name)}: `
    if (name.length > maxFeatureLength)
      errors.invalid(path.index(index), name, `${start}must be no more than ${maxFeatureLength} characters`)
    else if (!feature.test(name)) errors.invalid(path.index(index), name, start + featureForm)
    const next = names[index + 1]
    if (next === undefined) return
    if (next === name) errors.duplicate(path.index(index + 1), next)
    else if (name > next) errors.invalid(path.index(index + 1), next, 'list must be sorted alphabetically')
  })
}

/** Assigned values are immutable. The rules of a new node are listed once more, as in the reference. */
export function validateNodeUpdate(
  { metadata, spec = {}, status = {} }: Node,
  { spec: old = {} }: Node,
  errors: FieldErrors,
  context: HookContext,
): void {
  const path = FieldPath.of('spec')
  validateNodeAnnotations(metadata?.annotations, errors, context)
  validateNodeResources(status, errors, context)
  validateFeatures(status, errors)
  validateNodeAddresses(status, errors)
  const before = old.podCIDRs ?? []
  const now = spec.podCIDRs ?? []
  const why = (name: string) => `node updates may not change ${name} except from "" to valid`
  if (before.length > 0) {
    if (now.length !== before.length) errors.forbidden(cidrs, why('podCIDR'))
    else for (const [index, range] of before.entries()) if (range !== now[index]) errors.forbidden(cidrs, why('podCIDR'))
  }
  if (old.providerID && old.providerID !== spec.providerID) errors.forbidden(path.child('providerID'), why('providerID'))
  validateTaints(spec.taints ?? [], FieldPath.of('metadata', 'taints'), errors)
  if ((spec.externalID ?? '') !== (old.externalID ?? '')) errors.forbidden(path.child('externalID'), 'may not be updated')
}

function validateNodeAddresses(status: Node['status'], errors: FieldErrors): void {
  const seen = new Set<string>()
  status?.addresses?.forEach((address, index) => {
    const key = `${address.type}/${address.address}`
    if (seen.has(key)) errors.duplicate(FieldPath.of('status', 'addresses').index(index), asJson(address))
    seen.add(key)
  })
}

export function validateNodeStatus({ metadata, status = {} }: Node, _old: Node, errors: FieldErrors, context: HookContext): void {
  validateNodeAnnotations(metadata?.annotations, errors, context)
  validateNodeResources(status, errors, context)
  validateFeatures(status, errors)
  validateNodeAddresses(status, errors)
}
