/**
 * Objects that stand in Go sources as composite literals, such as `api.Pod{Spec: api.PodSpec{…}}`, read as the values that they are. What is not a
 * literal (calls of helpers, variables) has no value and is left out.
 */
import type { Json, JsonObject } from '../../../core/schema/model.ts'

/** Members by the names of fields or by keys; `undefined` members are left out. */
export interface Literal {
  readonly kind: 'literal'
  readonly entries: readonly (readonly [key: Value, value: Value])[]
  readonly items: readonly Value[]
}
/** A name of a field or a constant that has no known value. */
export interface Name {
  readonly kind: 'name'
  readonly text: string
}
export type Value = Json | Literal | Name | undefined

export interface Found {
  /** Without its package: `Pod`. */
  readonly type: string
  readonly value: Literal
}

const token = /\/\/[^\n]*|\/\*[\s\S]*?\*\/|`[^`]*`|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\]|\\.)*'|\d[\w.]*|[\p{L}_][\p{L}\p{N}_]*|[^\s]/gu

const tokensOf = (source: string): string[] => (source.match(token) ?? []).filter((each) => !/^\/[/*]/.test(each))

/** Texts of constants by name, without their package. */
export function constantsOf(sources: Iterable<string>): Map<string, string> {
  const constants = new Map<string, string>()
  for (const source of sources)
    for (const [, name = '', text = ''] of source.matchAll(/^(?:const)?\s*(\w+)(?:\s+[\w.]+)?\s*=\s*"((?:[^"\\\n]|\\.)*)"/gm))
      if (!constants.has(name)) constants.set(name, text)
  return constants
}

/** Calls that give their argument another type, or a pointer to it. */
const sameValue =
  /^(Ptr|To|New|new|Int32|Int64|Bool|String|int|int32|int64|uint16|string|FromInt|FromInt32|FromString|Parse|UID|MustParse|NewUID|ResourceName|\w*Ptr|\w*Ref)$/

/** A source. */
export class GoFile {
  private readonly tokens: readonly string[]
  private readonly constants: ReadonlyMap<string, string>
  private at = 0

  constructor(source: string, constants: ReadonlyMap<string, string>) {
    this.tokens = tokensOf(source)
    this.constants = constants
  }

  /** All literals of these types, without those inside of others of the same type. */
  *literals(types: ReadonlySet<string>): Generator<Found> {
    for (let index = 0; index < this.tokens.length - 1; index++) {
      const type = this.tokens[index] ?? ''
      if (this.tokens[index + 1] !== '{' || !types.has(type)) continue
      const isQualified = this.tokens[index - 1] === '.'
      const before = this.tokens[index - (isQualified ? 3 : 1)] ?? ''
      // A function that returns one.
      if (before === ')' || (before === '*' && this.tokens[index - (isQualified ? 4 : 2)] === ')')) continue
      this.at = index + 1
      const value = this.body()
      const members = [...value.items, ...value.entries.map(([, member]) => member)]
      // Lists and maps of them name the type once.
      const isCollection = before === ']' || (before === '*' && this.tokens[index - (isQualified ? 4 : 2)] === ']')
      for (const each of isCollection ? members : [value]) if (isLiteral(each)) yield { type, value: each }
    }
  }

  private peek(): string {
    return this.tokens[this.at] ?? ''
  }
  private next(): string {
    return this.tokens[this.at++] ?? ''
  }

  /** `{…}` with elements. */
  private body(): Literal {
    const entries: [Value, Value][] = []
    const items: Value[] = []
    this.next()
    while (this.peek() !== '}' && this.peek() !== '') {
      const first = this.expression([':', ',', '}'])
      if (this.peek() === ':') {
        this.next()
        entries.push([first, this.expression([',', '}'])])
      } else items.push(first)
      if (this.peek() === ',') this.next()
    }
    this.next()
    return { kind: 'literal', entries, items }
  }

  /** The value of an expression that ends before one of these tokens; undefined: it is no literal. */
  private expression(ends: readonly string[]): Value {
    const value = this.operand()
    if (ends.includes(this.peek())) return value
    this.skip(ends)
    return undefined
  }

  private skip(ends: readonly string[]): void {
    let depth = 0
    for (;;) {
      const text = this.peek()
      if (text === '' || (depth === 0 && ends.includes(text))) return
      if ('([{'.includes(text)) depth++
      if (')]}'.includes(text)) depth--
      this.at++
    }
  }

  private operand(): Value {
    const text = this.peek()
    if (text === '&' || text === '*') {
      this.next()
      return this.operand()
    }
    if (text === '{') return this.body()
    if (text === '-') {
      this.next()
      const value = this.operand()
      return typeof value === 'number' ? -value : undefined
    }
    if (text === '[' || text === 'map') return this.typed()
    if (text.startsWith('"')) return this.text()
    if (text.startsWith('`')) return this.next().slice(1, -1)
    if (/^\d/.test(text)) return numberOf(this.next())
    if (/^[\p{L}_]/u.test(text)) return this.named()
    return undefined
  }

  private text(): Value {
    const parse = (text: string) => {
      try {
        return JSON.parse(text) as string
      } catch {
        return undefined
      }
    }
    let value = parse(this.next())
    while (this.peek() === '+' && this.tokens[this.at + 1]?.startsWith('"')) {
      this.next()
      const more = parse(this.next())
      value = value === undefined || more === undefined ? undefined : value + more
    }
    return value
  }

  /** `[]T{…}`, `map[K]V{…}`, `[]byte("…")`. */
  private typed(): Value {
    while (this.peek() !== '{' && this.peek() !== '(' && this.peek() !== '') {
      if (this.peek() === 'interface' || this.peek() === 'struct') this.at += 2
      const text = this.next()
      if (text === '' || text === ',') return undefined
    }
    if (this.peek() === '{') return this.body()
    this.next()
    const value = this.expression([')'])
    this.next()
    return typeof value === 'string' ? Buffer.from(value).toString('base64') : undefined
  }

  private named(): Value {
    let name = this.next()
    while (this.peek() === '.') {
      this.next()
      name = this.next()
    }
    if (this.peek() === '[') {
      this.skip(['(', '{', ',', '}', ')'])
    }
    if (this.peek() === '{') return this.body()
    if (this.peek() === '(') return this.call(name)
    if (name === 'true' || name === 'false') return name === 'true'
    if (name === 'nil') return null
    return this.constants.get(name) ?? { kind: 'name', text: name }
  }

  private call(name: string): Value {
    this.next()
    if (this.peek() === ')') {
      this.next()
      return undefined
    }
    const value = this.expression([',', ')'])
    this.skip([')'])
    this.next()
    if (name === 'NewQuantity' || name === 'NewMilliQuantity')
      return typeof value === 'number' ? `${value}${name === 'NewQuantity' ? '' : 'm'}` : undefined
    return sameValue.test(name) || typeof value === 'string' ? value : undefined
  }
}

function numberOf(text: string): number | undefined {
  const number = Number(text.replaceAll('_', ''))
  return Number.isFinite(number) ? number : undefined
}

export const isLiteral = (value: Value): value is Literal =>
  typeof value === 'object' && value !== null && (value as Partial<Literal>).kind === 'literal' && 'entries' in (value as JsonObject)
export const isName = (value: Value): value is Name =>
  typeof value === 'object' && value !== null && (value as Partial<Name>).kind === 'name' && 'text' in (value as JsonObject)
