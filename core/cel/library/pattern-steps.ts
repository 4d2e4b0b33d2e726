/**
 * Matches long strings in steps, over the programs that re2js compiles. The engine itself can't be suspended, and its time for a string may be
 * seconds.
 */
import type { RE2JS } from 're2js'
import { exceeded } from '../limits.ts'
import { Pace, type Parts, within } from '../steps.ts'
import { isPair } from '../values/maps.ts'
import { search } from '../values/search.ts'

/** Instructions of a program, by number (re2js, Inst; as in Go's regexp/syntax). */
const op = { alt: 1, altMatch: 2, capture: 3, empty: 4, match: 6, nop: 7, rune: 8, rune1: 9, any: 10, anyNotNewline: 11 } as const
/** Conditions of empty matches, as bits (Go's syntax.EmptyOp). */
const empty = { beginLine: 1, endLine: 2, beginText: 4, endText: 8, boundary: 16, noBoundary: 32 } as const

interface Instruction {
  readonly op: number
  readonly out: number
  readonly arg: number
  matchRune(rune: number): boolean
}

interface DfaState {
  readonly nfaStates: readonly number[]
  readonly isMatch: boolean
  readonly next: readonly (DfaState | null)[] | null
}

/** Time to follow a known transition, and to create a state. */
const nanosecondsPerTransition = 15
const nanosecondsPerState = 3_000
const nanosecondsPerThread = 200
const unanchored = 0
const newline = 10

/** Whether a pattern matches anywhere in a string. */
export function* matchInSteps({ re2Input: re2 }: RE2JS, text: string): Parts<boolean> {
  if (re2.prefixComplete) return (yield* within(search(text, String(re2.prefix), 0))) >= 0
  const { dfa } = re2
  const pace = new Pace()
  const next = (state: DfaState, kind: number, rune: number): DfaState =>
    dfa.step(state, kind, rune, unanchored) ?? dfa.step(dfa.resetCache(state), kind, rune, unanchored) ?? exceeded()
  let state: DfaState = dfa.start({ context: () => empty.beginText }, 0)
  for (let at = 0, width = 1; at < text.length; at += width) {
    width = isPair(text, at) ? 2 : 1
    const rune = text.codePointAt(at) as number
    const kind: number = dfa.runeClass(rune)
    const known = state.next?.[kind]
    if (pace.due(known ? nanosecondsPerTransition : nanosecondsPerState + state.nfaStates.length * nanosecondsPerThread)) yield pace.units
    state = known ?? next(state, kind, rune)
    if (state.isMatch) return true
  }
  return next(state, dfa.numClasses, -1).isMatch
}

const isWord = (code: number) => (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || code === 95 || (code >= 97 && code <= 122)

/** The conditions that hold at a position. */
function conditionsAt(text: string, at: number): number {
  const before = at > 0 ? text.charCodeAt(at - 1) : -1
  const after = at < text.length ? text.charCodeAt(at) : -1
  return (
    (before < 0 ? empty.beginText | empty.beginLine : before === newline ? empty.beginLine : 0) |
    (after < 0 ? empty.endText | empty.endLine : after === newline ? empty.endLine : 0) |
    (isWord(before) !== isWord(after) ? empty.boundary : empty.noBoundary)
  )
}

/** Threads of a simulation in order of priority, each with the start of its match. */
class Threads {
  size = 0
  readonly instructions: Int32Array
  readonly starts: Int32Array
  /** By instruction: its place, if that place holds it. */
  readonly #places: Int32Array

  constructor(count: number) {
    this.instructions = new Int32Array(count)
    this.starts = new Int32Array(count)
    this.#places = new Int32Array(count)
  }

  /** False when the instruction has a thread already. */
  add(instruction: number, start: number): boolean {
    const place = this.#places[instruction] as number
    if (place < this.size && this.instructions[place] === instruction) return false
    this.#places[instruction] = this.size
    this.instructions[this.size] = instruction
    this.starts[this.size++] = start
    return true
  }
}

/** Finds the leftmost match, among those the one that a backtracking search prefers (Pike's simulation). */
export class Finder {
  readonly #instructions: readonly Instruction[]
  readonly #start: number
  readonly #text: string
  readonly #pace = new Pace()
  #now: Threads
  #next: Threads

  constructor({ re2Input: { prog } }: RE2JS, text: string) {
    this.#instructions = prog.inst
    this.#start = prog.start
    this.#text = text
    this.#now = new Threads(prog.inst.length)
    this.#next = new Threads(prog.inst.length)
  }

  /** The first match that begins at or after `from`. */
  *find(from: number): Parts<{ readonly start: number; readonly end: number } | undefined> {
    const text = this.#text
    let found: { readonly start: number; readonly end: number } | undefined
    this.#now.size = 0
    for (let at = from, width = 1; at <= text.length; at += width) {
      if (found === undefined) this.#follow(this.#now, this.#start, at, conditionsAt(text, at))
      width = isPair(text, at) ? 2 : 1
      if (this.#pace.due((1 + this.#now.size) * nanosecondsPerTransition * 2)) yield this.#pace.units
      found = this.#step(at, at + width) ?? found
      ;[this.#now, this.#next] = [this.#next, this.#now]
      if (found !== undefined && this.#now.size === 0) return found
    }
    return found
  }

  /** Moves all threads over a character; returns the match of the thread with the highest priority that has one, which ends those below. */
  #step(at: number, after: number): { readonly start: number; readonly end: number } | undefined {
    const [text, now, next] = [this.#text, this.#now, this.#next]
    const rune = at < text.length ? (text.codePointAt(at) as number) : -1
    const conditions = rune < 0 ? 0 : conditionsAt(text, after)
    next.size = 0
    for (let place = 0; place < now.size; place++) {
      const instruction = this.#instructions[now.instructions[place] as number] as Instruction
      const start = now.starts[place] as number
      if (instruction.op === op.match) return { start, end: at }
      if (rune >= 0 && takes(instruction, rune)) this.#follow(next, instruction.out, start, conditions)
    }
    return undefined
  }

  /** Adds the threads that an instruction leads to without reading a character. */
  #follow(threads: Threads, first: number, start: number, conditions: number): void {
    const open = [first]
    for (let number = open.pop(); number !== undefined; number = open.pop()) {
      if (number === 0 || !threads.add(number, start)) continue
      const instruction = this.#instructions[number] as Instruction
      if (instruction.op === op.alt || instruction.op === op.altMatch) open.push(instruction.arg, instruction.out)
      else if (instruction.op === op.capture || instruction.op === op.nop) open.push(instruction.out)
      else if (instruction.op === op.empty && (instruction.arg & ~conditions) === 0) open.push(instruction.out)
    }
  }
}

function takes(instruction: Instruction, rune: number): boolean {
  switch (instruction.op) {
    case op.rune:
    case op.rune1:
      return instruction.matchRune(rune)
    case op.any:
      return true
    case op.anyNotNewline:
      return rune !== newline
    default:
      return false
  }
}
