/**
 * Detects regular expressions that may take more than linear time in a backtracking engine. Builds the position
 * automaton (Glushkov) and searches for a word that leads from one loop to itself and to a second loop, and around the
 * second loop as well: each repetition of that word can then be split between the loops in many ways (Weber and Seidl,
 * 1991).
 */

/** One character of the pattern, with the sample characters that it matches. */
interface Position {
  readonly takes: ReadonlySet<number>
  readonly next: Set<number>
}

interface Fragment {
  readonly first: readonly number[]
  readonly last: readonly number[]
  readonly nullable: boolean
}

/** Sample characters that represent all classes that patterns distinguish. */
const samples = [...Array.from({ length: 128 }, (_, code) => String.fromCharCode(code)), 'é', '€', '日', '\u2028', '\u0300']
const empty: Fragment = { first: [], last: [], nullable: true }
/** Copies of a fragment with a counted repetition; larger counts are treated as a loop. */
const maxCopies = 20

class Unreadable extends Error {}

class Automaton {
  readonly positions: Position[] = []
  /** Transitions that can be made in two ways, as in nested loops. */
  readonly doubled: (readonly [from: number, to: number])[] = []
  /** Starts of groups, for back-references. */
  readonly #groups: number[] = []
  readonly #source: string
  readonly #flags: string
  #at = 0

  constructor(source: string, flags: string) {
    this.#source = source
    this.#flags = flags.replace(/[gy]/g, '')
  }

  build(): Fragment {
    const whole = this.#alternatives()
    if (this.#at < this.#source.length) throw new Unreadable(`at ${this.#source.slice(this.#at)}`)
    return whole
  }

  #alternatives(): Fragment {
    let fragment = this.#sequence()
    while (this.#source[this.#at] === '|') {
      this.#at++
      const other = this.#sequence()
      fragment = {
        first: [...fragment.first, ...other.first],
        last: [...fragment.last, ...other.last],
        nullable: fragment.nullable || other.nullable,
      }
    }
    return fragment
  }

  #sequence(): Fragment {
    let fragment = empty
    while (this.#at < this.#source.length && this.#source[this.#at] !== '|' && this.#source[this.#at] !== ')')
      fragment = this.#then(fragment, this.#repeated())
    return fragment
  }

  #then(left: Fragment, right: Fragment): Fragment {
    this.#connect(left.last, right.first)
    return {
      first: left.nullable ? [...left.first, ...right.first] : left.first,
      last: right.nullable ? [...left.last, ...right.last] : right.last,
      nullable: left.nullable && right.nullable,
    }
  }

  #connect(from: readonly number[], to: readonly number[]): void {
    for (const each of from)
      for (const next of to) {
        const known = this.positions[each]?.next
        if (known?.has(next)) this.doubled.push([each, next])
        known?.add(next)
      }
  }

  #repeated(): Fragment {
    const start = this.#at
    let fragment = this.#atom()
    const end = this.#at
    const found = /^(?:([*+?])|\{(\d+)(,?)(\d*)\})\??/.exec(this.#source.slice(end))
    if (found === null) return fragment
    const after = end + found[0].length
    const [least, most] = bounds(found)
    if (most === Number.POSITIVE_INFINITY || most > maxCopies) {
      this.#connect(fragment.last, fragment.first)
      if (least === 0) fragment = { ...fragment, nullable: true }
    } else {
      let whole = least === 0 ? { ...fragment, nullable: true } : fragment
      for (let copy = 1; copy < most; copy++) {
        this.#at = start
        const again = this.#atom()
        whole = this.#then(whole, copy < least ? again : { ...again, nullable: true })
      }
      fragment = most === 0 ? empty : whole
    }
    this.#at = after
    return fragment
  }

  #atom(): Fragment {
    const rest = this.#source.slice(this.#at)
    const around = /^\(\?<?[=!]/.exec(rest)
    if (around) {
      this.#at += around[0].length
      const first = this.positions.length
      this.#alternatives()
      for (let index = first; index < this.positions.length; index++)
        if (reaches(this.positions, index, index)) throw new Unreadable('a loop with lookaround')
      this.#at++
      return empty
    }
    const reference = /^\\([1-9])/.exec(rest)
    if (reference) {
      const end = this.#at + reference[0].length
      this.#at = this.#groups[Number(reference[1]) - 1] as number
      const fragment = this.#alternatives()
      this.#at = end
      return fragment
    }
    const open = /^\((\?:|\?<[a-zA-Z]\w*>)?(?!\?)/.exec(rest)
    if (open) {
      this.#at += open[0].length
      if (open[1] !== '?:' && !this.#groups.includes(this.#at)) this.#groups.push(this.#at)
      const fragment = this.#alternatives()
      this.#at++
      return fragment
    }
    const anchor = /^(?:[$^]|\\[bB])/.exec(rest)
    if (anchor) {
      this.#at += anchor[0].length
      return empty
    }
    const atom =
      /^(?:\[(?:\\.|[^\\\]])*\]|\\[pP]\{[^}]*\}|\\u\{[^}]*\}|\\u[0-9a-fA-F]{4}|\\x[0-9a-fA-F]{2}|\\[^1-9k]|[^()|*+?{[\\]|\{)/su.exec(rest)
    if (!atom) throw new Unreadable(`at ${rest}`)
    this.#at += atom[0].length
    const one = new RegExp(`^(?:${atom[0]})$`, this.#flags)
    const takes = new Set(samples.flatMap((character, index) => (one.test(character) ? [index] : [])))
    const position = this.positions.push({ takes, next: new Set() }) - 1
    return { first: [position], last: [position], nullable: false }
  }
}

function bounds([, sign, least = '', comma, most = '']: RegExpExecArray): [least: number, most: number] {
  if (sign === '?') return [0, 1]
  if (sign !== undefined) return [sign === '+' ? 1 : 0, Number.POSITIVE_INFINITY]
  return [Number(least), comma === '' ? Number(least) : most === '' ? Number.POSITIVE_INFINITY : Number(most)]
}

/** Describes the two loops by characters that they match; undefined if the pattern is linear. Throws Unreadable for unsupported syntax. */
export function backtracks(source: string, flags = ''): string | undefined {
  const automaton = new Automaton(source, flags)
  const whole = automaton.build()
  const { positions } = automaton
  // An unanchored search is a loop in front of the pattern.
  const isAnchored = flags.includes('y') || (/^\^/.test(source) && !/\|/.test(withoutGroups(source)))
  const accepting = new Set(/\$$/.test(source) ? [] : whole.last)
  if (!isAnchored) positions.push({ takes: new Set(samples.keys()), next: new Set([...whole.first, positions.length]) })
  const loops = [...positions.keys()].filter((index) => reaches(positions, index, index))
  for (const [from, to] of automaton.doubled) if (!accepting.has(to) && reaches(positions, to, from)) return describe(positions, from, to)
  for (const p of loops) {
    if (!accepting.has(p) && splits(positions, p)) return describe(positions, p, p)
    for (const q of loops) {
      if (p === q || accepting.has(q) || !reaches(positions, p, q)) continue
      if (overlaps(positions, p, q)) return describe(positions, p, q)
    }
  }
  return undefined
}

/** The top level of a pattern, without the content of groups and classes. */
function withoutGroups(source: string): string {
  let text = source.replace(/\\./g, '').replace(/\[[^\]]*\]/g, '')
  for (let before = ''; before !== text; ) {
    before = text
    text = text.replace(/\([^()]*\)/g, '')
  }
  return text
}

function describe(positions: readonly Position[], p: number, q: number): string {
  const shown = (index: number) =>
    [...(positions[index]?.takes ?? [])]
      .slice(-6)
      .map((at) => samples[at])
      .join('')
  return `loops at …${shown(p)} and …${shown(q)}`
}

function reaches(positions: readonly Position[], from: number, to: number): boolean {
  const seen = new Set<number>()
  const open = [...(positions[from]?.next ?? [])]
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    if (at === to) return true
    if (seen.has(at)) continue
    seen.add(at)
    open.push(...(positions[at]?.next ?? []))
  }
  return false
}

const meet = (positions: readonly Position[], ...at: number[]): boolean => {
  const [first, ...others] = at.map((index) => positions[index]?.takes ?? new Set<number>())
  for (const sample of first ?? []) if (others.every((takes) => takes.has(sample))) return true
  return false
}

/** Whether one word leads from (p, p, q) to (p, q, q): around p, from p to q, and around q. */
function overlaps(positions: readonly Position[], p: number, q: number): boolean {
  return walk(positions, [p, p, q], (at) => at[0] === p && at[1] === q && at[2] === q)
}

/** Whether one word leads around p in two ways. */
function splits(positions: readonly Position[], p: number): boolean {
  const seen = new Set<string>()
  const open: (readonly [number, number, boolean])[] = [[p, p, false]]
  for (let state = open.pop(); state !== undefined; state = open.pop()) {
    const [a, b, apart] = state
    for (const x of positions[a]?.next ?? [])
      for (const y of positions[b]?.next ?? []) {
        if (!meet(positions, x, y)) continue
        const next = [x, y, apart || x !== y] as const
        if (x === p && y === p && next[2]) return true
        const key = next.join()
        if (seen.has(key)) continue
        seen.add(key)
        open.push(next)
      }
  }
  return false
}

function walk(positions: readonly Position[], start: readonly number[], found: (at: readonly number[]) => boolean): boolean {
  const seen = new Set<string>()
  const open = [start]
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    const [a, b, c] = at as [number, number, number]
    for (const x of positions[a]?.next ?? [])
      for (const y of positions[b]?.next ?? [])
        for (const z of positions[c]?.next ?? []) {
          if (!meet(positions, x, y, z)) continue
          const next = [x, y, z]
          if (found(next)) return true
          const key = next.join()
          if (seen.has(key)) continue
          seen.add(key)
          open.push(next)
        }
  }
  return false
}
