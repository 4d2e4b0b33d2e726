import { FieldPath } from '../../schema/field-path.ts'
import type { Infer } from '../../schema/model.ts'
import { addressWarnings } from '../address-warnings.ts'
import { boundedWarnings } from '../warnings.ts'
import type { EndpointSlice } from './endpointslice.ts'

const endpointsAt = FieldPath.of('endpoints')

export const endpointSliceWarnings = (slice: Infer<typeof EndpointSlice>) => boundedWarnings(warningsOf(slice))

function* warningsOf({ addressType, endpoints }: Infer<typeof EndpointSlice>): Iterable<string> {
  // Slices have no spec: the path is the reference's.
  if (addressType === 'FQDN') return void (yield 'spec.addressType: FQDN endpoints are deprecated')
  // Both lists may be null.
  for (const [index, { addresses }] of (endpoints ?? []).entries()) {
    const at = endpointsAt.index(index).child('addresses')
    for (const [position, address] of (addresses ?? []).entries()) yield* addressWarnings(at.index(position), address)
  }
}
