/** Rules that all kinds share that keep pods running from a template. */
import type { FieldErrors } from '../../schema/field-error.ts'
import type { FieldPath } from '../../schema/field-path.ts'
import type { Infer } from '../../schema/model.ts'
import { asJson } from '../checks.ts'
import type { PodTemplateSpec } from '../core/pod-template.ts'
import type { LabelSelector } from '../meta/selector.ts'
import { isEmptySelector, selectorMatches } from '../meta/selector-match.ts'

interface WorkloadSpec {
  readonly selector?: Infer<typeof LabelSelector> | undefined
  readonly template?: Infer<typeof PodTemplateSpec> | undefined
}

/** How errors name the kind: about an empty selector, and about a deadline in the template. */
export interface WorkloadWords {
  readonly selector: string
  readonly template: string
}

/** The selector is there, selects something, and selects what the template makes; the pods run for ever. */
export function validateWorkload(spec: WorkloadSpec, words: WorkloadWords, path: FieldPath, errors: FieldErrors): void {
  const { selector, template } = spec
  if (selector == null) errors.required(path.child('selector'))
  else if (isEmptySelector(selector)) {
    errors.invalid(path.child('selector'), asJson(selector), `empty selector is invalid for ${words.selector}`)
  } else checkLabels(spec, path, errors)
  const { restartPolicy = 'Always', activeDeadlineSeconds } = template?.spec ?? {}
  const at = path.child('template').child('spec')
  if (restartPolicy !== 'Always') errors.notSupported(at.child('restartPolicy'), restartPolicy, ['Always'])
  if (activeDeadlineSeconds !== undefined) {
    errors.forbidden(at.child('activeDeadlineSeconds'), `activeDeadlineSeconds in ${words.template} is not Supported`)
  }
}

/** The pods that the template makes have the labels that the selector asks for. */
export function checkLabels({ selector, template }: WorkloadSpec, path: FieldPath, errors: FieldErrors): void {
  const labels = template?.metadata?.labels
  if (selectorMatches(selector, labels)) return
  errors.invalid(path.child('template').child('metadata').child('labels'), labels ?? null, '`selector` does not match template `labels`')
}
