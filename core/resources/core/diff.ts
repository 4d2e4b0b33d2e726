/** Unified diffs of values as indented JSON, as the reference's errors about immutable structs contain (apimachinery util/diff). */
import { equal } from '../../schema/json/equal.ts'
import { hasGivenEmpty } from '../../schema/json/given-empty.ts'
import type { Json } from '../../schema/model.ts'

/** Lines of each side that are compared: an error shows the first 16 KiB of their difference. */
const maxLines = 1_024
/** Unchanged lines around a change. */
const context = 3
/** From this number of lines, lines that are more than 1 % of the text don't start a match (Python's difflib). */
const maxEdits = 200

/** Equal lines `before[from…]` and `after[to…]`. */
interface Match {
  readonly from: number
  readonly to: number
  readonly size: number
}

const linesOf = (value: Json) => JSON.stringify(value, null, 1).split('\n').slice(0, maxLines)

function positionsOf(lines: readonly string[]): Map<string, number[]> {
  const positions = new Map<string, number[]>()
  lines.forEach((line, at) => {
    const known = positions.get(line)
    if (known) known.push(at)
    else positions.set(line, [at])
  })
  if (lines.length >= maxEdits) for (const [line, at] of positions) if (at.length > lines.length / 100 + 1) positions.delete(line)
  return positions
}

/** Finds the equal lines of two texts as difflib's SequenceMatcher does: the longest match, then those on both sides of it. */
class Matcher {
  readonly matches: Match[] = []
  readonly #before: readonly string[]
  readonly #after: readonly string[]
  readonly #positions: Map<string, number[]>

  constructor(before: readonly string[], after: readonly string[]) {
    this.#before = before
    this.#after = after
    this.#positions = positionsOf(after)
    this.#collect(0, before.length, 0, after.length)
  }

  #collect(start: number, end: number, low: number, high: number): void {
    const found = this.#longest(start, end, low, high)
    if (found.size === 0) return
    this.#collect(start, found.from, low, found.to)
    this.matches.push(found)
    this.#collect(found.from + found.size, end, found.to + found.size, high)
  }

  #longest(start: number, end: number, low: number, high: number): Match {
    let best: Match = { from: start, to: low, size: 0 }
    /** Length of the match that ends at a line of `after`. */
    let lengths = new Map<number, number>()
    for (let from = start; from < end; from++) {
      const next = new Map<number, number>()
      for (const to of this.#positions.get(this.#before[from] as string) ?? []) {
        if (to < low || to >= high) continue
        const size = (lengths.get(to - 1) ?? 0) + 1
        next.set(to, size)
        if (size > best.size) best = { from: from - size + 1, to: to - size + 1, size }
      }
      lengths = next
    }
    return this.#extended(best, start, end, low, high)
  }

  /** Includes equal lines around a match that can't start one. */
  #extended({ from, to, size }: Match, start: number, end: number, low: number, high: number): Match {
    let [first, second, length] = [from, to, size]
    const same = (at: number, other: number) => this.#before[at] === this.#after[other]
    while (first > start && second > low && same(first - 1, second - 1)) {
      first--
      second--
      length++
    }
    while (first + length < end && second + length < high && same(first + length, second + length)) length++
    return { from: first, to: second, size: length }
  }
}

/** Lines `before[from…end]`, equal to or replaced by `after[to…until]`. */
interface Step {
  readonly equal: boolean
  readonly from: number
  readonly end: number
  readonly to: number
  readonly until: number
}

function stepsOf(before: readonly string[], after: readonly string[]): Step[] {
  const steps: Step[] = []
  let [from, to] = [0, 0]
  for (const match of [...new Matcher(before, after).matches, { from: before.length, to: after.length, size: 0 }]) {
    if (from < match.from || to < match.to) steps.push({ equal: false, from, end: match.from, to, until: match.to })
    from = match.from + match.size
    to = match.to + match.size
    const last = steps.at(-1)
    if (match.size === 0) continue
    if (last?.equal) steps[steps.length - 1] = { ...last, end: from, until: to }
    else steps.push({ equal: true, from: match.from, end: from, to: match.to, until: to })
  }
  return steps
}

/** Groups of changes with their context. */
function hunksOf(steps: readonly Step[]): Step[][] {
  const hunks: Step[][] = []
  let hunk: Step[] = []
  for (const [index, step] of steps.entries()) {
    const isShort = step.end - step.from <= 2 * context && index > 0 && index < steps.length - 1
    if (!step.equal || isShort) {
      hunk.push(step)
      continue
    }
    const head = { ...step, end: Math.min(step.end, step.from + context), until: Math.min(step.until, step.to + context) }
    const tail = { ...step, from: Math.max(step.from, step.end - context), to: Math.max(step.to, step.until - context) }
    if (index > 0) hunks.push([...hunk, head])
    hunk = [tail]
  }
  hunks.push(hunk)
  return hunks.filter((each) => each.some(({ equal }) => !equal))
}

/** A range as in `@@ -3,4 +3,5 @@`: numbers from 1; a single line has no length. */
function range(from: number, end: number): string {
  const size = end - from
  return size === 1 ? `${from + 1}` : `${size === 0 ? from : from + 1},${size}`
}

/** The difference of two values; empty when their JSON is equal. */
function diff(before: Json, after: Json): string {
  const [old, now] = [linesOf(before), linesOf(after)]
  let text = ''
  for (const hunk of hunksOf(stepsOf(old, now))) {
    const [first, last] = [hunk[0] as Step, hunk.at(-1) as Step]
    text += `@@ -${range(first.from, last.end)} +${range(first.to, last.until)} @@\n`
    for (const { equal, from, end, to, until } of hunk) {
      for (const line of old.slice(from, end)) text += `${equal ? ' ' : '-'}${line}\n`
      if (!equal) for (const line of now.slice(to, until)) text += `+${line}\n`
    }
  }
  return text
}

/**
 * The difference of a stored and a new value in the form that errors show. Empty when they mean the same (apimachinery equality.Semantic): an
 * empty list or map in place of an absent one is only shown together with other changes.
 */
export function changesOf(before: Json, now: Json, shown: (value: Json) => Json): string {
  if (equal(before, now)) return ''
  const old = shown(before)
  // A structured clone does not know what was given.
  if (hasGivenEmpty(now) && diff(old, shown(structuredClone(now))) === '') return ''
  return diff(old, shown(now))
}
