import { badRequest } from '../answers/status.ts'
import { labelMatcher } from './label-matcher.ts'
import { parseRequirements } from './label-parser.ts'
import { type LabelOperator, type LabelRequirement, type Labels, requirementFault, requirementText } from './label-requirement.ts'

export type { LabelRequirement, Labels } from './label-requirement.ts'

const noLabels: Labels = {}
/** Operators that allow the listed values only. */
const allowing: ReadonlySet<LabelOperator> = new Set(['=', '==', 'in'])

/** A conjunction of label requirements, sorted by key. */
export class LabelSelector {
  readonly requirements: readonly LabelRequirement[]
  readonly #matches: (labels: Labels) => boolean
  #text: string | undefined

  constructor(requirements: readonly LabelRequirement[]) {
    this.requirements = requirements.toSorted((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
    this.#matches = labelMatcher(this.requirements)
  }

  /** True when it selects everything. */
  get empty(): boolean {
    return this.requirements.length === 0
  }

  matches(labels: Labels | undefined): boolean {
    return this.#matches(labels ?? noLabels)
  }

  /** A label that must have one value, if there is any. */
  get exact(): { readonly key: string; readonly value: string } | undefined {
    const found = this.requirements.find(({ operator, values }) => values.length === 1 && allowing.has(operator))
    return found && { key: found.key, value: found.values[0] as string }
  }

  /** Canonical form; parsing it gives an equal selector. */
  toString(): string {
    this.#text ??= this.requirements.map(requirementText).join(',')
    return this.#text
  }
}

/** Selects nothing: the meaning of an absent selector object. */
class Nothing extends LabelSelector {
  constructor() {
    super([])
  }

  override get empty(): boolean {
    return false
  }

  override matches(): boolean {
    return false
  }
}

/** Parses a selector such as `app=web,tier in (a,b),!legacy`. Throws BadRequest. */
export function parseLabelSelector(text: string): LabelSelector {
  return new LabelSelector(parseRequirements(text))
}

/** metav1.LabelSelector. */
export interface LabelSelectorObject {
  readonly matchLabels?: Labels | undefined
  readonly matchExpressions?:
    | readonly { readonly key: string; readonly operator: string; readonly values?: readonly string[] | undefined }[]
    | undefined
}

const objectOperators = new Map<string, LabelOperator>([
  ['In', 'in'],
  ['NotIn', 'notin'],
  ['Exists', 'exists'],
  ['DoesNotExist', '!'],
])

/** Converts a metav1.LabelSelector: an absent one selects nothing, an empty one everything. Throws BadRequest. */
export function labelSelectorOf(object: LabelSelectorObject | null | undefined): LabelSelector {
  if (object === null || object === undefined) return new Nothing()
  const requirements: LabelRequirement[] = Object.entries(object.matchLabels ?? {}).map(([key, value]) => ({
    key,
    operator: '=',
    values: [value],
  }))
  for (const { key, operator, values = [] } of object.matchExpressions ?? []) {
    const known = objectOperators.get(operator)
    if (known === undefined) throw badRequest(`${JSON.stringify(operator)} is not a valid label selector operator`)
    requirements.push({ key, operator: known, values: [...values] })
  }
  for (const requirement of requirements) {
    const fault = requirementFault(requirement)
    if (fault !== undefined) throw badRequest(fault)
  }
  return new LabelSelector(requirements)
}
