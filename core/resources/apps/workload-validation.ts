/** Validation shared by workloads that run pods from a template. */

import type { FieldErrors } from '../../schema/field-error.ts'
import type { FieldPath } from '../../schema/field-path.ts'
import { given } from '../../schema/json/given-empty.ts'
import type { HookContext, Infer } from '../../schema/model.ts'
import type { PodTemplateSpec } from '../core/pod-template.ts'
import { validatePodTemplate } from '../core/pod-validation.ts'
import { validateSelector } from '../core/scheduling-validation.ts'
import type { LabelSelector } from '../meta/selector.ts'
import { isEmptySelector, selectorMatches } from '../meta/selector-match.ts'
import { asJson } from '../validation.ts'

type Selector = Infer<typeof LabelSelector> | undefined
type Template = Infer<typeof PodTemplateSpec> | undefined

/** Validates the parts of a selector; false if it has malformed ones, so that it selects nothing that labels could be compared with. */
export function validateSelectorParts(selector: Selector, path: FieldPath, errors: FieldErrors, context: HookContext): boolean {
  const before = errors.count
  validateSelector(selector, path, errors, context)
  return errors.count === before
}

/** An empty selector would select the pods of others. */
export function validateNotEmpty(selector: Selector, kind: string, path: FieldPath, errors: FieldErrors): void {
  if (selector && isEmptySelector(selector)) errors.invalid(path, asJson(selector), `empty selector is invalid for ${kind}`)
}

/** A selector that must exist and not be empty; false if it has malformed parts, which is one more error. */
export function validateRequiredSelector(
  selector: Selector,
  words: { readonly kind: string; readonly malformed: string },
  path: FieldPath,
  errors: FieldErrors,
  context: HookContext,
): boolean {
  if (!selector) errors.required(path)
  const isWell = validateSelectorParts(selector, path, errors, context)
  validateNotEmpty(selector, words.kind, path, errors)
  if (!isWell) errors.invalid(path, asJson(selector), words.malformed)
  return isWell
}

/** The template's labels must match the selector; without one they don't. */
export function validateLabels(selector: Selector, template: Template, path: FieldPath, errors: FieldErrors): void {
  const labels = template?.metadata?.labels
  if (selector && selectorMatches(selector, labels)) return
  const shown = template?.metadata && given(template.metadata, 'labels')
  errors.invalid(path.child('metadata').child('labels'), shown ?? null, '`selector` does not match template `labels`')
}

/** A template of pods that always restart and have no deadline. */
export function validateTemplate(template: Template, path: FieldPath, errors: FieldErrors, context: HookContext): void {
  if (template) validatePodTemplate(template, path, errors, context)
}

export function validateLasting(template: Template, kind: string, path: FieldPath, errors: FieldErrors): void {
  const { restartPolicy = 'Always', activeDeadlineSeconds } = template?.spec ?? {}
  const spec = path.child('spec')
  if (restartPolicy !== 'Always') errors.notSupported(spec.child('restartPolicy'), restartPolicy, ['Always'])
  if (activeDeadlineSeconds === undefined) return
  errors.forbidden(spec.child('activeDeadlineSeconds'), `activeDeadlineSeconds in ${kind} is not Supported`)
}
