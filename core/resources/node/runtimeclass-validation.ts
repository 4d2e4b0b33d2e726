/** Validation of runtime classes. */
import type { FieldErrors } from '../../schema/field-error.ts'
import { FieldPath } from '../../schema/field-path.ts'
import type { HookContext, Infer } from '../../schema/model.ts'
import { validateLabels } from '../../schema/object-meta.ts'
import { validateRequirements } from '../core/resource-validation.ts'
import { validateTolerations } from '../core/scheduling-validation.ts'
import { asJson, repeats, validateRequiredFormat } from '../validation.ts'
import type { RuntimeClass, Scheduling } from './runtimeclass.ts'

export function validateRuntimeClass(
  { handler, overhead, scheduling }: Infer<typeof RuntimeClass>,
  errors: FieldErrors,
  context: HookContext,
): void {
  validateRequiredFormat(handler, 'dns1123Label', FieldPath.of('handler'), errors)
  if (overhead) {
    // The reference reports the overhead as limits of a container.
    const limits = { limits: overhead.podFixed ?? {} }
    validateRequirements(limits, 'container', new Set(), FieldPath.of('overhead'), errors, context)
  }
  if (scheduling) validateScheduling(scheduling, FieldPath.of('scheduling'), errors, context)
}

function validateScheduling(
  { nodeSelector, tolerations = [] }: Infer<typeof Scheduling>,
  path: FieldPath,
  errors: FieldErrors,
  context: HookContext,
): void {
  validateLabels(nodeSelector, path.child('nodeSelector'), errors)
  const at = path.child('tolerations')
  validateTolerations(tolerations, at, errors, context)
  const isRepeat = repeats()
  tolerations.forEach((toleration, index) => {
    const { key = '', operator = '', value = '', effect = '' } = toleration
    if (isRepeat(JSON.stringify([key, operator, value, effect]))) errors.duplicate(at.index(index), asJson(toleration))
  })
}
