/** Allocates and releases cluster IPs of a service on create, update and delete. */

import { internalError, invalid } from '../../../answers/status.ts'
import { type Family, isHeadless, needsClusterIP, type ServiceSpec } from '../../../resources/core/service-defaults.ts'
import type { ResourceDefinition } from '../../../resources/definition.ts'
import { FieldErrors } from '../../../schema/field-error.ts'
import { FieldPath } from '../../../schema/field-path.ts'
import type { ReservingWrite } from '../reservations.ts'
import type { Addresses, ServiceName } from './addresses.ts'
import { AllocationError } from './allocation-error.ts'

/** Index range of families that need an address; `to` is exclusive. */
interface Missing {
  readonly from: number
  readonly to: number
}

const nothing: Missing = { from: 0, to: 0 }

function missing(spec: ServiceSpec, old: ServiceSpec | undefined): Missing {
  const count = spec.ipFamilies?.length ?? 0
  if (!needsClusterIP(spec) || isHeadless(spec)) return nothing
  if (old === undefined || !needsClusterIP(old)) return { from: 0, to: count }
  if (isHeadless(old)) return nothing
  return old.ipFamilies?.length === 1 && count === 2 ? { from: 1, to: 2 } : nothing
}

/** Addresses held before that the new spec does not hold. */
export function surplusAddresses(spec: ServiceSpec, old: ServiceSpec): readonly string[] {
  if (!needsClusterIP(old) || isHeadless(old)) return []
  const held = old.clusterIPs ?? (old.clusterIP ? [old.clusterIP] : [])
  if (!needsClusterIP(spec)) return held
  return old.ipFamilies?.length === 2 && spec.ipFamilies?.length === 1 ? held.slice(1) : []
}

/**
 * Allocates addresses into the spec, and adds them to `taken`, even on failure. Throws 422 for a requested address that
 * is not available, 500 when none is left.
 */
export async function takeAddresses(
  addresses: Addresses,
  definition: ResourceDefinition,
  service: ServiceName,
  spec: ServiceSpec,
  old: ServiceSpec | undefined,
  taken: string[],
  write: ReservingWrite,
): Promise<void> {
  const { from, to } = missing(spec, old)
  if (to === 0) return
  const { ipFamilies = [] } = spec
  const list = ipFamilies.map((_, index) => spec.clusterIPs?.[index] ?? '')
  for (let index = from; index < to; index++) {
    const wanted = list[index] ?? ''
    const family = ipFamilies[index] as Family | undefined
    if (family === undefined) continue
    try {
      if (wanted === '') list[index] = await addresses.takeAny(family, service, write)
      else await addresses.take(wanted, service, write)
    } catch (error) {
      if (!(error instanceof AllocationError)) throw error
      if (wanted === '') throw internalError(`failed to allocate a serviceIP: ${error.message}`)
      const errors = new FieldErrors()
      errors.invalid(FieldPath.of('spec', 'clusterIPs'), list, `failed to allocate IP ${wanted}: ${error.message}`)
      throw invalid(definition, service.name, errors.list)
    }
    taken.push(list[index] ?? '')
  }
  spec.clusterIPs = list
  if (list[0]) spec.clusterIP = list[0]
}
