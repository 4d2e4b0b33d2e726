/** Warnings of kinds with a pod template. */
import { getPath } from '../../schema/accessors.ts'
import { FieldPath } from '../../schema/field-path.ts'
import type { HookContext } from '../../schema/model.ts'
import type { ApiObject, Path } from '../definition.ts'
import { podNameWarnings } from '../pod-name-warning.ts'
import { boundedWarnings } from '../warnings.ts'
import { type PodLike, podWarnings } from './pod-warnings.ts'

/** Warnings beyond those of the template. */
type Own<T> = (object: T, old: T | undefined, context: HookContext) => Iterable<string>

interface Options<T> {
  /** The object's name becomes part of pod names and host names. */
  readonly namesPods?: boolean
  readonly own?: Own<T>
  /** On updates the reference warns of the former template. */
  readonly ofFormer?: boolean
}

/**
 * A strategy's `warnings` for the template at a path such as `.spec.template`: on create, and on updates that change the spec, including
 * scaling, as in the reference.
 */
export function templateWarnings<T>(path: Path, { namesPods = false, own, ofFormer = false }: Options<T> = {}) {
  const at = FieldPath.of(...path.slice(1).split('.'))
  function* all(given: T, old: T | undefined, context: HookContext): Iterable<string> {
    const object = given as unknown as ApiObject
    if (old === undefined && namesPods) yield* podNameWarnings(object.metadata.name)
    const template = getPath(ofFormer && old !== undefined ? old : object, path) as PodLike | undefined
    const isNew = old === undefined || object.metadata.generation !== (old as unknown as ApiObject).metadata.generation
    if (isNew && template) yield* podWarnings(template, at, context)
    if (own) yield* own(given, old, context)
  }
  return (object: T, old: T | undefined, context: HookContext) => boundedWarnings(all(object, old, context))
}
