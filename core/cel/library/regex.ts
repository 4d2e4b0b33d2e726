/** Regular expressions on an engine with linear time. */
import type { RE2JS } from 're2js'
import { compilePattern } from '../../schema/formats/pattern.ts'
import { messageOf } from '../../schema/message-of.ts'
import { declare, type FunctionDeclaration, type Row, type Weigh } from '../functions.ts'
import { exceeded } from '../limits.ts'
import { after, costly, type MaybeSteps, Pace, type Parts, Steps, within } from '../steps.ts'
import { fail } from '../values/errors.ts'
import type { Int } from '../values/numbers.ts'
import { matchCost } from './costs.ts'
import { patternSize } from './pattern-size.ts'
import { Finder, matchInSteps } from './pattern-steps.ts'

/** Maximum instructions of all cached patterns; each takes some 500 bytes. */
const maxKept = 50_000
/** Maximum size of a pattern that is not a constant of the expression: compiling it takes up to 3 ms. */
const maxSize = 2_000
/** Maximum states of an automaton that are kept for the next string. */
const maxStates = 500
/** Time to compile an instruction. */
const nanosecondsPerInstruction = 1_500

/** Characters times instructions that the engine may work on without a step. */
const fewSteps = 4_000

type Compile = (pattern: string) => MaybeSteps<RE2JS>

interface Kept {
  readonly compiled: RE2JS
  readonly size: number
}

/** Compiled patterns, the least recently used of which are dropped. */
class PatternCache {
  readonly #kept = new Map<string, Kept>()
  #size = 0

  /** Compiles a pattern. Throws a CelError when it is malformed, and a Cancelled when its size is above `limit`. */
  compile(pattern: string, limit: number): MaybeSteps<RE2JS> {
    const known = this.#kept.get(pattern)
    if (!known) {
      const size = patternSize(pattern, limit)
      return size > limit ? exceeded() : costly(size * nanosecondsPerInstruction, () => this.#add(pattern, size))
    }
    if (this.#kept.size > 1) {
      this.#kept.delete(pattern)
      this.#kept.set(pattern, known)
    }
    return known.compiled
  }

  #add(pattern: string, size: number): RE2JS {
    const compiled = compiledOrFailed(pattern)
    this.#kept.set(pattern, { compiled, size })
    this.#size += size
    for (const [oldest, { size: freed }] of this.#kept) {
      if (this.#size <= maxKept || oldest === pattern) break
      this.#kept.delete(oldest)
      this.#size -= freed
    }
    return compiled
  }
}

function compiledOrFailed(pattern: string): RE2JS {
  try {
    return compilePattern(pattern)
  } catch (error) {
    return fail(messageOf(error))
  }
}

/** Runs the engine's search; drops what it keeps if that is much. */
function engine<T>({ re2Input }: RE2JS, run: () => T): T {
  const result = run()
  if (re2Input.lazyDFA?.stateCount > maxStates) re2Input.lazyDFA.clearCache()
  return result
}

const isShort = (pattern: RE2JS, text: string) => text.length * pattern.programSize() <= fewSteps

function matchesCompiled(pattern: RE2JS, text: string): MaybeSteps<boolean> {
  if (isShort(pattern, text)) return engine(pattern, () => pattern.matcher(text).find())
  return after(new Steps(matchInSteps(pattern, text)), (found) => engine(pattern, () => found))
}

/** Time to create a match. */
const nanosecondsPerMatch = 300

/** As Go's FindAll: an empty match adjacent to the previous match is skipped. */
function* allMatches(compile: MaybeSteps<RE2JS>, text: string, limit: number): Parts<readonly string[]> {
  const pattern = yield* within(compile)
  const finder = new Finder(pattern, text)
  const pace = new Pace()
  const found: string[] = []
  let end = -1
  for (let from = 0; found.length < limit && from <= text.length; ) {
    if (pace.due(nanosecondsPerMatch)) yield pace.units
    const match = yield* finder.find(from)
    if (match === undefined) break
    const isEmpty = match.start === match.end
    if (!isEmpty || match.start !== end) found.push(text.slice(match.start, match.end))
    end = match.end
    from = isEmpty ? match.end + ((text.codePointAt(match.end) ?? 0) > 0xffff ? 2 : 1) : match.end
  }
  return found
}

const matchesKnown = { cost: ([text, pattern]: readonly unknown[], weigh: Weigh) => matchCost(weigh(text), weigh(pattern)) }
const finds = { ...matchesKnown, byName: true } as const

/** Functions that compile patterns in a given way. */
function functionsWith(compile: Compile) {
  const matches = (text: string, pattern: string): MaybeSteps<boolean> => {
    const compiled = compile(pattern)
    if (!(compiled instanceof Steps)) return matchesCompiled(compiled, text)
    return new Steps(compiledAndMatched(compiled.parts, text))
  }
  const findAll = (text: string, pattern: string, limit: Int = -1): MaybeSteps<readonly string[]> =>
    new Steps(allMatches(compile(pattern), text, limit < 0 ? Number.POSITIVE_INFINITY : Number(limit)))
  const find = (text: string, pattern: string): MaybeSteps<string> => after(findAll(text, pattern, 1), ([first]) => first ?? '')
  return { matches, findAll, find, all: (text: string, pattern: string) => findAll(text, pattern) }
}

function* compiledAndMatched(compile: Parts<RE2JS>, text: string): Parts<boolean> {
  return yield* within(matchesCompiled(yield* compile, text))
}

export function regexLibrary(): readonly FunctionDeclaration[] {
  const cache = new PatternCache()
  const { matches, find, findAll, all } = functionsWith((pattern) => cache.compile(pattern, maxSize))
  const constant = functionsWith((pattern) => cache.compile(pattern, Number.POSITIVE_INFINITY))
  const rows: readonly Row[] = [
    ['matches', 'matches(string, string): bool', matches, { runConstant: constant.matches }],
    ['matches_string', 'string.matches(string): bool', matches, { ...matchesKnown, runConstant: constant.matches }],
    ['string_find_string', 'string.find(string): string', find, { ...finds, runConstant: constant.find }],
    ['string_find_all_string', 'string.findAll(string): list<string>', all, { ...finds, runConstant: constant.all }],
    ['string_find_all_string_int', 'string.findAll(string, int): list<string>', findAll, { ...finds, runConstant: constant.findAll }],
  ]
  return declare(rows)
}
