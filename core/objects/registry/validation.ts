import { invalid } from '../../answers/status.ts'
import type { ApiObject, ResourceDefinition, SubresourceStrategy } from '../../resources/definition.ts'
import { FieldErrors } from '../../schema/field-error.ts'
import { FieldPath } from '../../schema/field-path.ts'
import { internalValueAt, isNamedText } from '../../schema/internal-value.ts'
import type { HookContext, Json, JsonObject } from '../../schema/model.ts'
import { type ObjectMetaRules, validateFinalizer, validateObjectMeta, validateObjectMetaUpdate } from '../../schema/object-meta.ts'
import { validate, validateImmutable } from '../../schema/validate.ts'
import type { WriteRequest } from './request.ts'

const metadata = FieldPath.of('metadata')
const finalizers = metadata.child('finalizers')

/** Feature gates of validation rules. */
const gatedRules: { readonly [rule: string]: string } = { 'spelling of addresses': 'StrictIPCIDRValidation' }

const errorsFor = ({ schema }: ResourceDefinition, { settings }: HookContext) =>
  new FieldErrors((rule) => gatedRules[rule] !== undefined && !settings.enabled(gatedRules[rule]), {
    shown: (path, value) => internalValueAt(schema, path, value),
    isNamed: (path) => isNamedText(schema, path),
  })

function refuseIfAny(definition: ResourceDefinition, object: ApiObject, errors: FieldErrors): void {
  if (errors.list.length > 0) throw invalid(definition, object.metadata.name ?? object.metadata.generateName ?? '', errors.list)
}

/** Finalizers without a domain must be known ones, unless the kind takes any. */
function validateFinalizers({ anyFinalizers }: ResourceDefinition, object: ApiObject, errors: FieldErrors, context: HookContext): void {
  if (anyFinalizers) return
  object.metadata.finalizers?.forEach((name, index) => {
    validateFinalizer(name, finalizers.index(index), errors, context.platform)
  })
}

/** Rules of the metadata of a new object. */
function metaRules({ namespaced, nameFormat, strategy }: ResourceDefinition, object: ApiObject, context: HookContext): ObjectMetaRules {
  const nameProblems: ObjectMetaRules['nameProblems'] =
    strategy.nameProblems && ((name, found) => strategy.nameProblems?.(object as never, name, found) ?? found)
  return { namespaced, path: metadata, nameFormat: typeof nameFormat === 'function' ? nameFormat(context) : nameFormat, nameProblems }
}

/** Validation of an object; `errors` collects what it finds. */
interface Validation {
  readonly definition: ResourceDefinition
  readonly object: ApiObject
  readonly errors: FieldErrors
  readonly context: HookContext
  /** The stored object; absent: the object is new. */
  readonly old?: ApiObject
}

type UpdateValidation = Required<Validation>

/** What all kinds have in common, then what the kind checks once more: errors are listed as often as the reference finds them. */
function validateMetadataUpdate(update: UpdateValidation): void {
  const { definition, object, old, errors, context } = update
  const updated = () => validateObjectMetaUpdate(object.metadata, old.metadata, metadata, errors)
  errors.untilClosed(() => {
    validateObjectMeta(object.metadata, { namespaced: definition.namespaced, path: metadata }, errors)
    updated()
    const isValid = errors.count === 0 && !object.metadata.generateName && !definition.strategy.nameProblems
    for (const check of definition.metadataOnUpdate) {
      if (check === 'lateUpdate') continue
      if (check === 'changes') {
        validateChanges(update)
        continue
      }
      if (!isValid && check === 'object') validateObjectMeta(object.metadata, metaRules(definition, object, context), errors)
      else if (!isValid) updated()
      validateFinalizers(definition, object, errors, context)
    }
  })
}

/** Compares everything except metadata with the stored object. */
function validateChanges({ definition, object, old, errors, context }: UpdateValidation): void {
  validateImmutable(definition.schema, object as JsonObject, old as JsonObject, FieldPath.root, errors)
  definition.strategy.validateUpdate?.(object as never, old as never, errors, context)
}

/** Validates everything except metadata. */
function validateContent({ definition, object, errors, context, old }: Validation): void {
  // If checks end here, later errors would not be kept; those of other parts may be dropped and reported in other words.
  if (errors.closed) return
  validate(definition.schema, object as Json, FieldPath.root, errors, context, old as Json | undefined)
  errors.untilClosed(() => definition.strategy.validate?.(object as never, errors, context, old as never))
}

/** Validation errors of an update, without those that the stored object has too (ratcheting). */
function validateContentUpdate(update: UpdateValidation): void {
  const { definition, old, errors, context } = update
  validateContent(update)
  if (!errors.list.some(({ forgivable }) => forgivable)) return
  const before = errorsFor(definition, context)
  validateContent({ ...update, object: old, errors: before })
  errors.forgive(before)
}

/** Throws 422 with all errors of a new object; `found`: those that are known already. */
export function validateCreate(definition: ResourceDefinition, object: ApiObject, context: HookContext, found?: FieldErrors): void {
  const errors = errorsFor(definition, context)
  if (found) errors.include(found)
  const validateMetadata = () =>
    errors.untilClosed(() => {
      validateObjectMeta(object.metadata, metaRules(definition, object, context), errors)
      validateFinalizers(definition, object, errors, context)
    })
  const isLate = definition.metadataOnUpdate.length === 0
  if (!isLate) validateMetadata()
  validateContent({ definition, object, errors, context })
  if (isLate && errors.count === 0) validateMetadata()
  refuseIfAny(definition, object, errors)
}

/** Throws 422 with all errors of an update of the main resource. */
export function validateUpdate(definition: ResourceDefinition, object: ApiObject, old: ApiObject, context: HookContext): void {
  const errors = errorsFor(definition, context)
  const update = { definition, object, old, errors, context }
  validateMetadataUpdate(update)
  validateContentUpdate(update)
  errors.untilClosed(() => {
    if (definition.metadataOnUpdate.includes('lateUpdate')) {
      validateObjectMetaUpdate(object.metadata, old.metadata, metadata, errors)
      validateFinalizers(definition, object, errors, context)
    }
    if (!definition.metadataOnUpdate.includes('changes')) validateChanges(update)
  })
  refuseIfAny(definition, object, errors)
}

/** Throws 422 with all errors of a status update; the rest of the object is unchanged and not validated. `found`: as in `validateCreate`. */
export function validateStatusUpdate(
  definition: ResourceDefinition,
  object: ApiObject,
  old: ApiObject,
  context: HookContext,
  found?: FieldErrors,
): void {
  const errors = errorsFor(definition, context)
  validateMetadataUpdate({ definition, object, old, errors, context })
  if (found) errors.include(found)
  errors.untilClosed(() => definition.strategy.validateStatus?.(object as never, old as never, errors, context))
  refuseIfAny(definition, object, errors)
}

/** Throws 422 with all errors of an update through a subresource other than status and scale. */
export function validateSubresourceUpdate(
  definition: ResourceDefinition,
  strategy: SubresourceStrategy,
  object: ApiObject,
  old: ApiObject,
  context: HookContext,
): void {
  const errors = errorsFor(definition, context)
  const update = { definition, object, old, errors, context }
  validateMetadataUpdate(update)
  if (strategy.fullUpdate) validateContentUpdate(update)
  errors.untilClosed(() => strategy.validate?.(object, old, errors, context))
  refuseIfAny(definition, object, errors)
}

/** Runs a validation, repeated after interruptions. Returns a promise only if it was interrupted. */
export const interruptible = ({ replay }: WriteRequest, validation: () => void): void | Promise<void> =>
  replay ? replay.run(validation) : validation()
