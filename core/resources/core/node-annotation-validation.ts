/** Validation of annotations of nodes that hold scheduling rules of former releases. */
import type { FieldErrors } from '../../schema/field-error.ts'
import { FieldPath } from '../../schema/field-path.ts'
import { field, type HookContext, list, message, pointer, required, string, time } from '../../schema/model.ts'
import { AnnotationFault, readAnnotation, readListAnnotation } from '../json-annotation.ts'
import { OwnerReference } from '../meta/objectmeta.ts'
import { Taint } from './scheduling.ts'
import { validateTaints } from './scheduling-validation.ts'

const PodSignature = message('PodSignature', 'Pods of one controller.', () => ({
  podController: pointer(1, OwnerReference, 'The controller.'),
}))

const PreferAvoidPodsEntry = message('PreferAvoidPodsEntry', 'Pods that should avoid a node.', () => ({
  podSignature: required(1, PodSignature, 'The pods.'),
  evictionTime: field(2, time, 'When they were evicted.'),
  reason: field(3, string, 'Why, as one word.'),
  message: field(4, string, 'Why, for readers.'),
}))

const AvoidPods = message('AvoidPods', 'All pods that should avoid a node.', () => ({
  preferAvoidPods: field(1, list(PreferAvoidPodsEntry), 'Signatures of the pods.'),
}))

const taints = 'scheduler.alpha.<labels>/taints'
const avoidedPods = 'scheduler.alpha.<labels>/preferAvoidPods'

function validateAvoidedPods(text: string, key: string, path: FieldPath, errors: FieldErrors): void {
  const { preferAvoidPods = [] } = readAnnotation(text, AvoidPods)
  preferAvoidPods.forEach(({ podSignature: { podController } = {} }, index) => {
    const at = path.child(key).index(index).child('PodSignature')
    if (podController === undefined) errors.required(at)
    else if (!podController.controller) errors.invalid(at.child('PodController').child('Controller'), false, 'must point to a controller')
  })
}

type Validate = (text: string, key: string, path: FieldPath, errors: FieldErrors) => void

/** Each annotation, the place of errors about all of it, and its rules. */
const rules: readonly (readonly [key: string, at: (path: FieldPath) => FieldPath, validate: Validate])[] = [
  [
    taints,
    (path) => path,
    (text, key, path, errors) => validateTaints(readListAnnotation(text, Taint, '[]core.Taint'), path.child(key), errors),
  ],
  [avoidedPods, (path) => path.child('AvoidPods'), validateAvoidedPods],
]

export function validateNodeAnnotations(
  annotations: { readonly [key: string]: string } | undefined,
  errors: FieldErrors,
  { platform }: HookContext,
): void {
  if (annotations === undefined) return
  const path = FieldPath.of('metadata', 'annotations')
  for (const [name, at, validate] of rules) {
    const key = platform.name(name)
    const text = annotations[key]
    if (!text) continue
    try {
      validate(text, key, path, errors)
    } catch (error) {
      if (!(error instanceof AnnotationFault)) throw error
      errors.invalid(at(path), key, error.message)
    }
  }
}
