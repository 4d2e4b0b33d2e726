/** Validation shared by workloads that run pods from a template. */
import type { FieldErrors } from '../../schema/field-error.ts'
import type { FieldPath } from '../../schema/field-path.ts'
import type { Infer } from '../../schema/model.ts'
import type { PodTemplateSpec } from '../core/pod-template.ts'
import type { LabelSelector } from '../meta/selector.ts'
import { isEmptySelector, selectorMatches } from '../meta/selector-match.ts'
import { asJson } from '../validation.ts'

interface WorkloadSpec {
  readonly selector?: Infer<typeof LabelSelector> | undefined
  readonly template?: Infer<typeof PodTemplateSpec> | undefined
}

/** Names in errors: for an empty selector, and for a deadline in the template. */
export interface WorkloadWords {
  readonly selector: string
  /** Error for a selector with malformed parts, beside theirs; absent: none. */
  readonly invalid?: string
  readonly template: string
}

/** The selector must exist, not be empty, and match the template; pods must restart always. */
export function validateWorkload(spec: WorkloadSpec, words: WorkloadWords, path: FieldPath, errors: FieldErrors): void {
  const { selector, template } = spec
  if (selector == null) errors.required(path.child('selector'))
  else if (isEmptySelector(selector)) {
    errors.invalid(path.child('selector'), asJson(selector), `empty selector is invalid for ${words.selector}`)
  }
  if (hasErrors(path.child('selector'), errors)) {
    if (words.invalid !== undefined) errors.invalid(path.child('selector'), asJson(selector ?? null), words.invalid)
  } else if (selector == null || !isEmptySelector(selector)) validateLabels(spec, path, errors)
  const { restartPolicy = 'Always', activeDeadlineSeconds } = template?.spec ?? {}
  const at = path.child('template').child('spec')
  if (restartPolicy !== 'Always') errors.notSupported(at.child('restartPolicy'), restartPolicy, ['Always'])
  if (activeDeadlineSeconds !== undefined) {
    errors.forbidden(at.child('activeDeadlineSeconds'), `activeDeadlineSeconds in ${words.template} is not Supported`)
  }
}

/** Whether parts of a value were found invalid. */
function hasErrors(path: FieldPath, errors: FieldErrors): boolean {
  const parts = `${path}.`
  return errors.count > 0 && errors.list.some(({ field }) => field.startsWith(parts))
}

/** The template's labels must match the selector; without one they don't. */
export function validateLabels({ selector, template }: WorkloadSpec, path: FieldPath, errors: FieldErrors): void {
  const labels = template?.metadata?.labels
  if (selector != null && selectorMatches(selector, labels)) return
  errors.invalid(path.child('template').child('metadata').child('labels'), labels ?? null, '`selector` does not match template `labels`')
}
