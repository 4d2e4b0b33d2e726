/** A position in a YAML text, and YAML 1.1 character classes. */
import type { YamlInput } from './input.ts'

/** An error: `yaml: line 3: did not find expected key`. */
export class YamlError extends Error {
  /**
   * @param shown the number of the line in the message; 0: none.
   * @param by the encoding that can't hold it.
   */
  constructor(shown: number, problem: string, by: 'yaml' | 'json' = 'yaml') {
    super(`${by}: ${shown === 0 ? problem : `line ${shown}: ${problem}`}`)
  }
}

/** Code at the end of the text. */
const end = -1

export const isBlank = (code: number) => code === 0x20 || code === 0x09
export const isBreak = (code: number) => code === 0x0a || code === 0x0d || code === 0x85 || code === 0x2028 || code === 0x2029
export const isWord = (code: number) =>
  (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a) || (code >= 0x30 && code <= 0x39) || code === 0x5f || code === 0x2d
export const isBreakOrEnd = (code: number) => code === end || isBreak(code)
/** White space, or the end. */
export const isSpace = (code: number) =>
  code <= 0x20
    ? code === 0x20 || code === 0x0a || code === 0x09 || code === 0x0d || code === end
    : code === 0x85 || code === 0x2028 || code === 0x2029

export class Cursor {
  readonly text: string
  at = 0
  /** Counted from 0. */
  line = 0
  /** Start of the line. */
  start = 0

  readonly #fault: string | undefined

  constructor({ text, fault }: YamlInput) {
    this.text = text
    this.#fault = fault
  }

  get column(): number {
    return this.at - this.start
  }

  /** Code of a character; negative at the end. */
  code(offset = 0): number {
    const at = this.at + offset
    return at < this.text.length ? this.text.charCodeAt(at) : this.#end()
  }

  get ended(): boolean {
    return this.at >= this.text.length
  }

  /** Fails if what follows can't be read. */
  #end(): number {
    if (this.#fault !== undefined) throw new YamlError(0, this.#fault)
    return end
  }

  /** Skips a line break. Returns its value: a line feed, except for Unicode line breaks. */
  takeBreak(): string {
    const code = this.text.charCodeAt(this.at)
    this.at += code === 0x0d && this.code(1) === 0x0a ? 2 : 1
    this.line++
    this.start = this.at
    return code === 0x2028 || code === 0x2029 ? String.fromCharCode(code) : '\n'
  }

  /** Whether the position is at `---` or `...` at the start of a line. */
  get isAtMarker(): boolean {
    if (this.column !== 0) return false
    const code = this.code()
    return (code === 0x2d || code === 0x2e) && code === this.code(1) && code === this.code(2) && isSpace(this.code(3))
  }

  /** Fails at the position. As in the reference, errors in the first line name no line. */
  fail(problem: string): never {
    throw new YamlError(this.line === 0 ? 0 : this.line + 1, problem)
  }
}
