/** Tests many label requirements together, at a cost that depends on the labels and not on the number of requirements. */
import { integer, type LabelRequirement, type Labels, requirementTest } from './label-requirement.ts'

type Test = (labels: Labels) => boolean

/** Up to this many requirements, testing one after the other is faster. */
const few = 8

/** All requirements on one key. */
class KeyRule {
  /** The key must exist. */
  present = false
  #absent = false
  #allowed: ReadonlySet<string> | undefined
  #refused: Set<string> | undefined
  #above: bigint | undefined
  #below: bigint | undefined

  add({ operator, values }: LabelRequirement): void {
    if (operator === '!') this.#absent = true
    else if (operator === '!=' || operator === 'notin') this.#refuse(values)
    else {
      this.present = true
      if (operator === 'gt' || operator === 'lt') this.#bound(operator, integer(values[0] ?? ''))
      else if (operator !== 'exists') this.#allow(values)
    }
  }

  #refuse(values: readonly string[]): void {
    this.#refused ??= new Set()
    for (const value of values) this.#refused.add(value)
  }

  #allow(values: readonly string[]): void {
    const before = this.#allowed
    this.#allowed = new Set(before ? values.filter((value) => before.has(value)) : values)
  }

  #bound(operator: 'gt' | 'lt', bound: bigint | undefined): void {
    if (bound === undefined) this.#absent = true
    else if (operator === 'gt') this.#above = this.#above !== undefined && this.#above > bound ? this.#above : bound
    else this.#below = this.#below !== undefined && this.#below < bound ? this.#below : bound
  }

  accepts(value: string): boolean {
    if (this.#absent || this.#refused?.has(value) || this.#allowed?.has(value) === false) return false
    if (this.#above === undefined && this.#below === undefined) return true
    const number = integer(value)
    if (number === undefined) return false
    return (this.#above === undefined || number > this.#above) && (this.#below === undefined || number < this.#below)
  }
}

/** Compiles a test for all requirements. Keys such as `constructor` are ordinary keys. */
export function labelMatcher(requirements: readonly LabelRequirement[]): Test {
  if (requirements.length > few) return byKey(requirements)
  const tests = requirements.map(requirementTest)
  return (labels) => {
    for (const test of tests) if (!test(labels)) return false
    return true
  }
}

function byKey(requirements: readonly LabelRequirement[]): Test {
  const rules = new Map<string, KeyRule>()
  for (const requirement of requirements) {
    let rule = rules.get(requirement.key)
    if (rule === undefined) {
      rule = new KeyRule()
      rules.set(requirement.key, rule)
    }
    rule.add(requirement)
  }
  let needed = 0
  for (const { present } of rules.values()) if (present) needed++
  return (labels) => {
    let found = 0
    for (const key of Object.keys(labels)) {
      const rule = rules.get(key)
      if (rule === undefined) continue
      if (!rule.accepts(labels[key] as string)) return false
      if (rule.present) found++
    }
    return found === needed
  }
}
