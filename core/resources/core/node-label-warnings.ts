/** Warnings about deprecated node labels, and selectors with them (pkg/api/node). */
import type { Platform } from '../../platform.ts'
import type { FieldPath } from '../../schema/field-path.ts'
import { formats } from '../../schema/formats/formats.ts'
import type { Infer } from '../../schema/model.ts'
import type { LabelSelector } from '../meta/selector.ts'

const deprecated: readonly (readonly [label: string, message: string])[] = [
  ['beta.<labels>/arch', 'deprecated since v1.14; use "<labels>/arch" instead'],
  ['beta.<labels>/os', 'deprecated since v1.14; use "<labels>/os" instead'],
  ['failure-domain.beta.<labels>/region', 'deprecated since v1.17; use "topology.<labels>/region" instead'],
  ['failure-domain.beta.<labels>/zone', 'deprecated since v1.17; use "topology.<labels>/zone" instead'],
  ['beta.<labels>/instance-type', 'deprecated since v1.17; use "node.<labels>/instance-type" instead'],
  ['app.<labels>/created-by', 'deprecated since v1.9'],
  ['scheduler.alpha.<labels>/preferAvoidPods', 'deprecated since v1.22; use Taints and Tolerations instead'],
  ['node-role.<labels>/master', 'use "node-role.<labels>/control-plane" instead'],
]

/** Replacement of a deprecated label; undefined: not deprecated. */
export function deprecatedLabel(key: string, platform: Platform): string | undefined {
  const row = deprecated.find(([label]) => key.startsWith(label.slice(0, label.indexOf('<'))) && platform.name(label) === key)
  return row && platform.name(row[1])
}

interface Term {
  readonly matchExpressions?: readonly { readonly key: string; readonly values?: readonly string[] | undefined }[] | undefined
}

/** @param validateValues warn about values that are not valid label values, and therefore match nothing */
export function* nodeSelectorTermWarnings(term: Term, validateValues: boolean, path: FieldPath, platform: Platform): Iterable<string> {
  for (const [index, { key, values = [] }] of (term.matchExpressions ?? []).entries()) {
    const at = path.child('matchExpressions').index(index)
    const message = deprecatedLabel(key, platform)
    if (message) yield `${at.child('key')}: ${key} is ${message}`
    if (!validateValues) continue
    for (const [position, value] of values.entries())
      for (const problem of formats.labelValue(value)) yield `${at.child('values').index(position)}: ${value} is invalid, ${problem}`
  }
}

type Selector = Infer<typeof LabelSelector>

/** Warnings about a node selector; the dot before label keys is the reference's. */
export function* labelSelectorWarnings(selector: Selector | undefined, path: FieldPath, platform: Platform): Iterable<string> {
  yield* nodeSelectorTermWarnings(selector ?? {}, false, path, platform)
  for (const label of Object.keys(selector?.matchLabels ?? {})) {
    const message = deprecatedLabel(label, platform)
    if (message) yield `${path.child('matchLabels').child(label)}: ${message}`
  }
}
