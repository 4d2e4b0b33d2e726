import { FieldPath } from '../../schema/field-path.ts'
import type { HookContext, Infer } from '../../schema/model.ts'
import { networkWarnings } from '../address-warnings.ts'
import { boundedWarnings } from '../warnings.ts'
import type { Node as NodeSchema } from './node.ts'

const ranges = FieldPath.of('spec', 'podCIDRs')

export const nodeWarnings = (node: Infer<typeof NodeSchema>, _old: Infer<typeof NodeSchema> | undefined, context: HookContext) =>
  boundedWarnings(warningsOf(node, context))

function* warningsOf({ spec }: Infer<typeof NodeSchema>, { platform }: HookContext): Iterable<string> {
  if (spec?.configSource) yield 'spec.configSource: the feature is removed'
  if (spec?.externalID) yield `spec.externalID: this field is deprecated, and is unused by ${platform.title}`
  for (const [index, range] of (spec?.podCIDRs ?? []).entries()) yield* networkWarnings(ranges.index(index), range)
}
