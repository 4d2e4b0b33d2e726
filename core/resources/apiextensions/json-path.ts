/**
 * JSONPath for printer columns of custom resources (client-go util/jsonpath): fields, indexes, slices, wildcards, unions, `..`
 * and filters such as `.status.conditions[?(@.type=="Ready")].status`. Missing fields give no values.
 */
import { get } from '../../schema/json/members.ts'
import type { Json } from '../../schema/model.ts'

/**
 * Maximum values that an evaluation visits or finds, beyond which there is no result: `..` and unions can multiply an object. All paths of an
 * object together visit about `maxInAll`, which takes some 10 ms, but each at least `minVisited`.
 */
const maxVisited = 100_000
const maxInAll = 400_000
const minVisited = 100

/** The path can't be applied to a value, or exceeds the limit. */
class NoResult extends Error {}

interface Budget {
  left: number
}

type Step = (input: readonly Json[], budget: Budget) => Json[]

function spend(budget: Budget, count: number): void {
  budget.left -= count
  if (budget.left < 0) throw new NoResult('too many values')
}

const childrenOf = (value: Json): Json[] =>
  typeof value !== 'object' || value === null ? [] : Array.isArray(value) ? value : Object.keys(value).map((key) => value[key] as Json)

const field =
  (name: string): Step =>
  (input) =>
    input.flatMap((value) => {
      const found = typeof value === 'object' && value !== null && !Array.isArray(value) ? get(value, name) : undefined
      return found === undefined ? [] : [found]
    })

const wildcard: Step = (input, budget) =>
  input.flatMap((value) => {
    const found = childrenOf(value)
    spend(budget, found.length)
    return found
  })

/** The values and all of their descendants. */
const recursive: Step = (input, budget) => {
  const found: Json[] = []
  const visit = (values: readonly Json[]) => {
    for (const value of values) {
      const children = childrenOf(value)
      spend(budget, children.length + 1)
      if (children.length === 0) continue
      found.push(value)
      visit(children)
    }
  }
  visit(input)
  return found
}

/** Items of an index range; indexes may count from the end. */
const slice =
  (from: number | undefined, to: number | undefined, step: number | undefined, single: boolean): Step =>
  (input, budget) =>
    input.flatMap((value) => {
      if (value === null) return []
      if (!Array.isArray(value)) throw new NoResult('not a list')
      spend(budget, value.length)
      const count = value.length
      const start = from === undefined ? 0 : from < 0 ? from + count : from
      const given = to === undefined ? count : to
      const end = given < 0 || (given === 0 && single) ? given + count : given
      if (start === end) return []
      if (start < 0 || start >= count || end < 0 || end > count || start > end || (step !== undefined && step <= 0)) {
        throw new NoResult('index out of bounds')
      }
      const items = value.slice(start, end)
      return step === undefined ? items : items.filter((_, index) => index % step === 0)
    })

const union =
  (paths: readonly Step[]): Step =>
  (input, budget) =>
    paths.flatMap((path) => path(input, budget))

const constant =
  (value: Json): Step =>
  (input) =>
    input.map(() => value)

const sequence =
  (steps: readonly Step[]): Step =>
  (input, budget) =>
    steps.reduce<Json[]>(
      (values, step) => {
        const found = step(values, budget)
        spend(budget, found.length)
        return found
      },
      [...input],
    )

type Comparison = (left: Json, right: Json) => boolean

function comparable(left: Json, right: Json): void {
  if (typeof left !== typeof right || typeof left === 'object') throw new NoResult('values of different types')
}

const comparisons: { readonly [operator: string]: Comparison } = {
  '==': (left, right) => left === right,
  '!=': (left, right) => left !== right,
  '<': (left, right) => (left as string) < (right as string),
  '>': (left, right) => (left as string) > (right as string),
  '<=': (left, right) => (left as string) <= (right as string),
  '>=': (left, right) => (left as string) >= (right as string),
}

function one(values: readonly Json[]): Json | undefined {
  if (values.length > 1) throw new NoResult('more than one value to compare')
  return values[0]
}

/** Items for which the left path has a result that, with an operator, compares with the right path's. */
function filter(left: Step, operator?: string, right?: Step): Step {
  const compare = operator === undefined ? undefined : comparisons[operator]
  return (input, budget) =>
    input.flatMap((value) => {
      if (!Array.isArray(value)) throw new NoResult('not a list')
      spend(budget, value.length)
      return value.filter((item) => {
        const found = left([item], budget)
        if (!right) return found.length > 0
        const a = one(found)
        const b = a === undefined ? undefined : one(right([item], budget))
        if (a === undefined || b === undefined) return false
        comparable(a, b)
        return compare?.(a, b) ?? false
      })
    })
}

/** Parses a path. */
class Parser {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  steps(): Step[] {
    const steps: Step[] = []
    while (this.#at < this.#text.length) {
      const step = this.#next()
      if (step) steps.push(step)
    }
    return steps
  }

  #next(): Step | undefined {
    const rest = this.#text.slice(this.#at)
    if (rest.startsWith('[?(')) return this.#filter()
    if (rest.startsWith('..')) {
      this.#at += 2
      if (!/^[\p{L}\p{Nd}_]/u.test(this.#text.slice(this.#at))) return recursive
      return sequence([recursive, this.#field()])
    }
    const first = rest.charAt(0)
    if (first === ' ' || first === '@' || first === '$') {
      this.#at++
      return undefined
    }
    if (first === '[') return this.#brackets()
    if (first === '.') {
      this.#at++
      return this.#field()
    }
    if (first === '"' || first === "'") return constant(this.#quoted())
    return constant(this.#literal())
  }

  #take(pattern: RegExp, what: string): RegExpExecArray {
    const found = pattern.exec(this.#text.slice(this.#at))
    if (found === null) throw new Error(what)
    this.#at += found[0].length
    return found
  }

  #field(): Step {
    const name = this.#take(/^(?:\\.|[^ \t\r\n.,[\]$@{}\\])*/u, 'field')[0]
    return name === '*' ? wildcard : field(name.replaceAll('\\', ''))
  }

  #quoted(): string {
    const [text] = this.#take(/^(?:"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')/, 'unterminated quoted string')
    return text.slice(1, -1).replaceAll(/\\(.)/g, '$1')
  }

  #literal(): Json {
    const [text] = this.#take(/^(?:true|false|[+-]?\d+(?:\.\d+)?)/, `unrecognized character in action: ${this.#text.charAt(this.#at)}`)
    return text === 'true' ? true : text === 'false' ? false : Number(text)
  }

  #brackets(): Step {
    const [, text = ''] = this.#take(/^\[([^\]\n]*)\]/, 'unterminated array')
    const parts = text.split(',')
    if (parts.length > 1) return union(parts.map((part) => sequence(new Parser(`[${part.trim()}]`).steps())))
    const name = /^'([^']*)'$/.exec(text)
    if (name) return sequence(new Parser(`.${name[1]}`).steps())
    const range = /^(-?\d*)(:-?\d*)?(:-?\d*)?$/.exec(text === '*' ? ':' : text)
    if (!range) throw new Error(`invalid array index ${text}`)
    const [from, to, step] = [range[1], range[2], range[3]].map((part) => {
      const digits = (part ?? '').replace(':', '')
      return digits === '' ? undefined : Number(digits)
    })
    const single = range[2] === undefined
    return slice(from, single ? (from ?? 0) + 1 : to, step, single)
  }

  #filter(): Step {
    const [, text = ''] = this.#take(/^\[\?\(((?:[^"'()\n]|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')*)\)\]/, 'unterminated filter')
    const parts = /^([^!<>=]+)([!<>=]+)([^!<>=].*)$/s.exec(text)
    if (!parts) return filter(sequence(new Parser(text).steps()))
    const [, left = '', operator = '', right = ''] = parts
    return filter(sequence(new Parser(left).steps()), operator, sequence(new Parser(right).steps()))
  }
}

/** Finds the first value of a path; undefined when there is none. */
export type Finder = (object: Json) => Json | undefined

/**
 * Compiles a path such as `.spec.replicas`, one of so many that each object is asked for.
 * @throws Error with the reason when it is malformed.
 */
export function compilePath(text: string, paths = 1): Finder {
  const path = sequence(new Parser(text).steps())
  const visited = Math.max(minVisited, Math.min(maxVisited, Math.floor(maxInAll / paths)))
  return (object) => {
    try {
      return path([object], { left: visited })[0]
    } catch (error) {
      if (error instanceof NoResult) return undefined
      throw error
    }
  }
}
