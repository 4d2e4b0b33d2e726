import { FieldPath } from '../../schema/field-path.ts'
import type { Infer } from '../../schema/model.ts'
import { addressWarnings } from '../address-warnings.ts'
import { boundedWarnings } from '../warnings.ts'
import type { Endpoints as EndpointsSchema } from './endpoints.ts'

const subsetsAt = FieldPath.of('subsets')

export const endpointsWarnings = (endpoints: Infer<typeof EndpointsSchema>) => boundedWarnings(warningsOf(endpoints))

function* warningsOf({ subsets = [] }: Infer<typeof EndpointsSchema>): Iterable<string> {
  for (const [index, subset] of subsets.entries()) {
    for (const name of ['addresses', 'notReadyAddresses'] as const) {
      const at = subsetsAt.index(index).child(name)
      for (const [position, { ip }] of (subset[name] ?? []).entries()) yield* addressWarnings(at.index(position).child('ip'), ip)
    }
  }
}
