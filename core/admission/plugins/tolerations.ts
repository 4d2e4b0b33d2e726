import type { Toleration as TolerationMessage } from '../../resources/core/scheduling.ts'
import type { Infer } from '../../schema/model.ts'

export type Toleration = Infer<typeof TolerationMessage>

const everyKey = ({ key, operator }: Toleration) => !key && operator === 'Exists'
const isEqual = ({ operator }: Toleration) => (operator || 'Equal') === 'Equal'
const secondsOf = ({ tolerationSeconds }: Toleration) => Number(tolerationSeconds ?? Number.POSITIVE_INFINITY)
const identity = ({ key, operator, value, effect, tolerationSeconds }: Toleration) =>
  JSON.stringify([key ?? '', operator ?? '', value ?? '', effect ?? '', tolerationSeconds === undefined ? '' : String(tolerationSeconds)])

/** Key of all tolerations that `wide` covers if it has enough seconds; undefined: it covers only equal ones. */
function rangeOf(wide: Toleration): string | undefined {
  const { key = '', operator = '', value = '', effect = '' } = wide
  const how = operator === 'Exists' ? null : isEqual(wide) ? [operator, value] : undefined
  return how === undefined ? undefined : JSON.stringify([everyKey(wide) ? null : key, how, effect])
}

/** Keys of the ranges that contain a toleration. */
function rangesAround(narrow: Toleration): string[] {
  const { key = '', operator = '', value = '', effect = '' } = narrow
  const hows = isEqual(narrow) ? [null, [operator, value]] : [null]
  const effects = effect === '' ? [''] : ['', effect]
  return [null, key].flatMap((of) => hows.flatMap((how) => effects.map((each) => JSON.stringify([of, how, each]))))
}

/** Of the tolerations in one range: the maximum seconds, how many have it, and the total number. */
interface Widest {
  readonly seconds: number
  readonly max: number
  readonly count: number
}

/** A set of tolerations with constant-time cover tests, because a pod can have many. */
class Cover {
  readonly #ranges = new Map<string, Widest>()
  readonly #equal = new Map<string, number>()

  add(wide: Toleration): void {
    const id = identity(wide)
    this.#equal.set(id, (this.#equal.get(id) ?? 0) + 1)
    const range = rangeOf(wide)
    if (range === undefined) return
    const { seconds, max, count } = this.#ranges.get(range) ?? { seconds: Number.NEGATIVE_INFINITY, max: 0, count: 0 }
    const own = secondsOf(wide)
    this.#ranges.set(range, {
      seconds: Math.max(seconds, own),
      max: own > seconds ? 1 : own === seconds ? max + 1 : max,
      count: count + 1,
    })
  }

  has(toleration: Toleration): boolean {
    return this.#equal.has(identity(toleration))
  }

  /** Whether another toleration in the set covers it. */
  covers(narrow: Toleration): boolean {
    const own = secondsOf(narrow)
    const equals = this.#equal.get(identity(narrow)) ?? 0
    const ownRange = rangeOf(narrow)
    return rangesAround(narrow).some((range) => {
      const found = this.#ranges.get(range)
      if (found === undefined) return false
      const same = range === ownRange ? equals : 0
      // Seconds only matter for the effect NoExecute.
      if (!range.endsWith(',"NoExecute"]')) return found.count > same
      return found.seconds > own || (found.seconds === own && found.max > same)
    })
  }
}

/** Returns a test for whether one of the given tolerations covers another. */
export function covering(wide: readonly Toleration[]): (narrow: Toleration) => boolean {
  const cover = new Cover()
  for (const each of wide) cover.add(each)
  return (narrow) => cover.has(narrow) || cover.covers(narrow)
}

/** Concatenates both lists without covered tolerations; of equal ones the first stays. */
export function mergeTolerations(first: readonly Toleration[], second: readonly Toleration[]): Toleration[] {
  const all = [...first, ...second]
  const later = new Cover()
  const coveredLater = all.map(() => false)
  for (let at = all.length - 1; at >= 0; at--) {
    const each = all[at] as Toleration
    coveredLater[at] = later.covers(each)
    later.add(each)
  }
  const kept = new Cover()
  return all.filter((each, at) => {
    if (coveredLater[at] || kept.has(each) || kept.covers(each)) return false
    kept.add(each)
    return true
  })
}
