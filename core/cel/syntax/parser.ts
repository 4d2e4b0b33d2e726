/** Parses expressions by recursive descent. Limits, positions and texts are those of cel-go's parser. */
import type { Call, Entry, Expr, FieldInit, Item } from './ast.ts'
import type { Issue } from './issues.ts'
import { type Token, tokensOf } from './lexer.ts'
import { literalValue } from './literals.ts'
import type { Macros } from './macros.ts'

export interface Syntax {
  readonly macros: Macros
  /** `a.?b`, `a[?b]` and `?` before items of literals. */
  readonly optionals: boolean
}

/** Maximum nesting depth. */
const deepest = 250
/** Maximum code points. */
const maxLength = 100_000

const reserved = new Set('as break const continue else for function if import let loop package namespace return var void while'.split(' '))
/** Keywords, which are not identifiers. */
const words = new Set(['in', 'true', 'false', 'null'])
const relations = new Set(['<', '<=', '>=', '>', '==', '!=', 'in'])
const operands = "{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}"

class SyntaxFault extends Error {
  readonly issue: Issue
  constructor(at: number, message: string) {
    super(message)
    this.issue = { at, message }
  }
}

class Parser {
  readonly issues: Issue[] = []
  readonly #syntax: Syntax
  readonly #tokens: readonly Token[]
  #index = 0
  #depth = 0

  constructor(text: string, syntax: Syntax) {
    this.#syntax = syntax
    this.#tokens = tokensOf(text, this.issues)
  }

  get #token(): Token {
    return this.#tokens[this.#index] as Token
  }

  #is(text: string): boolean {
    const token = this.#token
    return token.text === text && (token.type === 'symbol' || token.type === 'identifier')
  }

  #next(): Token {
    const token = this.#token
    if (token.type !== 'end') this.#index++
    return token
  }

  #accept(text: string): Token | undefined {
    return this.#is(text) ? this.#next() : undefined
  }

  #expected(what: string): never {
    const { at, text } = this.#token
    throw new SyntaxFault(at, `Syntax error: mismatched input '${text}' expecting ${what}`)
  }

  /**
   * An operand is missing. As ANTLR recovers: a token before an operand is skipped, and an operator takes the place of the operand, so that
   * its own operand may be missing, too.
   */
  #operandMissing(): Expr {
    const { at, text, type } = this.#token
    if (type === 'symbol' && startsOperand(this.#tokens[this.#index + 1] as Token)) {
      this.#next()
      this.issues.push({ at, message: `Syntax error: extraneous input '${text}' expecting ${operands}` })
      return this.#primary()
    }
    return this.#absent(at, `Syntax error: mismatched input '${text}' expecting ${operands}`)
  }

  /** Neither a name nor anything else that may follow a dot. */
  #nameMissing(): Expr {
    const { at, text, type } = this.#token
    return this.#absent(at, `Syntax error: no viable alternative at input '.${type === 'end' ? '' : text}'`)
  }

  /** Stands for an operand before an operator; elsewhere parsing ends. */
  #absent(at: number, message: string): Expr {
    if (!operators.has(this.#token.text) || this.#token.type !== 'symbol') throw new SyntaxFault(at, message)
    this.issues.push({ at, message })
    return { kind: 'literal', at, value: null }
  }

  #expect(text: string): Token {
    return this.#accept(text) ?? this.#expected(`'${text}'`)
  }

  #name(): Token {
    const token = this.#token
    if (token.type !== 'identifier' || words.has(token.text)) this.#expected('IDENTIFIER')
    return this.#next()
  }

  /** A field name after a dot. The grammar has names in backticks, but the API server does not allow them. */
  #field(): string {
    if (this.#token.type !== 'escaped') return this.#name().text
    const { at, text } = this.#next()
    this.issues.push({ at, message: "unsupported syntax: '`'" })
    return text.slice(1, -1)
  }

  #optional(): boolean {
    const mark = this.#accept('?')
    if (mark && !this.#syntax.optionals) throw new SyntaxFault(mark.at, "unsupported syntax '?'")
    return mark !== undefined
  }

  #nested<T>(parse: () => T): T {
    if (++this.#depth > deepest) throw new SyntaxFault(-1, `expression recursion limit exceeded: ${deepest}`)
    const result = parse()
    this.#depth--
    return result
  }

  whole(): Expr {
    const result = this.#expression()
    if (this.#token.type !== 'end') {
      const { at, text } = this.#token
      const last = this.#tokens[this.#index + 1]?.type === 'end'
      throw new SyntaxFault(at, `Syntax error: ${last ? 'extraneous' : 'mismatched'} input '${text}' expecting <EOF>`)
    }
    return result
  }

  #expression(): Expr {
    return this.#nested(() => {
      const condition = this.#logical('||', '_||_', () => this.#logical('&&', '_&&_', () => this.#relation()))
      const mark = this.#accept('?')
      if (!mark) return condition
      const yes = this.#logical('||', '_||_', () => this.#logical('&&', '_&&_', () => this.#relation()))
      this.#expect(':')
      return call(mark.at, '_?_:_', [condition, yes, this.#expression()])
    })
  }

  /** A chain of one operator, as balanced tree to bound its depth. */
  #logical(operator: string, name: string, term: () => Expr): Expr {
    const terms = [term()]
    const places: number[] = []
    for (let mark = this.#accept(operator); mark; mark = this.#accept(operator)) {
      places.push(mark.at)
      terms.push(term())
    }
    const balanced = (low: number, high: number): Expr => {
      const middle = Math.floor((low + high + 1) / 2)
      const left = middle === low ? terms[middle] : balanced(low, middle - 1)
      const right = middle === high ? terms[middle + 1] : balanced(middle + 1, high)
      return call(places[middle] ?? 0, name, [left as Expr, right as Expr])
    }
    return places.length === 0 ? (terms[0] as Expr) : balanced(0, places.length - 1)
  }

  #leftward(operators: ReadonlySet<string>, name: (operator: string) => string, term: () => Expr): Expr {
    const depth = this.#depth
    let left = term()
    while (operators.has(this.#token.text) && (this.#token.type === 'symbol' || this.#token.text === 'in')) {
      if (++this.#depth > deepest) throw new SyntaxFault(-1, `expression recursion limit exceeded: ${deepest}`)
      const { at, text } = this.#next()
      left = call(at, name(text), [left, term()])
    }
    this.#depth = depth
    return left
  }

  #relation(): Expr {
    const named = (operator: string) => (operator === 'in' ? '@in' : `_${operator}_`)
    return this.#leftward(relations, named, () => this.#leftward(sums, named, () => this.#leftward(products, named, () => this.#unary())))
  }

  #unary(): Expr {
    const operator = this.#token
    if (!this.#is('!') && !this.#is('-')) return this.#member()
    let count = 0
    while (this.#is(operator.text) && !(operator.text === '-' && count === 0 && this.#startsNumber())) {
      this.#next()
      count++
    }
    const operand = count === 0 ? this.#member() : this.#nested(() => this.#member())
    return count % 2 === 0 ? operand : call(operator.at, operator.text === '!' ? '!_' : '-_', [operand])
  }

  /** Whether a minus belongs to a number literal. */
  #startsNumber(): boolean {
    const type = this.#tokens[this.#index + 1]?.type
    return type === 'int' || type === 'double'
  }

  #member(): Expr {
    const depth = this.#depth
    let operand = this.#primary()
    while (this.#is('.') || this.#is('[')) {
      if (++this.#depth > deepest) throw new SyntaxFault(-1, `expression recursion limit exceeded: ${deepest}`)
      operand = this.#is('.') ? this.#selection(operand) : this.#indexing(operand)
    }
    this.#depth = depth
    return operand
  }

  #selection(operand: Expr): Expr {
    const dot = this.#next()
    if (this.#is('?')) {
      if (!this.#syntax.optionals) throw new SyntaxFault(dot.at, "unsupported syntax '.?'")
      this.#next()
      const name = { kind: 'literal', at: this.#token.at, value: this.#field() } as const
      return call(dot.at, '_?._', [operand, name])
    }
    const isName = this.#token.type === 'identifier'
    if (!isName && this.#token.type !== 'escaped') return this.#nameMissing()
    const field = this.#field()
    if (!isName || !this.#is('(')) return { kind: 'select', at: dot.at, operand, field, test: false }
    return this.#callOrMacro(field, operand)
  }

  #indexing(operand: Expr): Expr {
    const { at } = this.#next()
    const optional = this.#accept('?')
    if (optional && !this.#syntax.optionals) throw new SyntaxFault(at, "unsupported syntax '[?'")
    const index = this.#expression()
    this.#expect(']')
    return call(at, optional ? '_[?_]' : '_[_]', [operand, index])
  }

  #callOrMacro(name: string, target: Expr | undefined): Expr {
    const { at } = this.#expect('(')
    const args: Expr[] = []
    if (!this.#is(')')) {
      do args.push(this.#expression())
      while (this.#accept(','))
    }
    this.#expect(')')
    const macro = this.#syntax.macros.get(`${target ? '.' : ''}${name}/${args.length}`)
    if (!macro) return call(at, name, args, target)
    const expanded = macro({ at, target: target as Expr, args })
    if (!('message' in expanded)) return expanded
    this.issues.push(expanded)
    return { kind: 'literal', at, value: null }
  }

  #primary(): Expr {
    const token = this.#token
    switch (token.type) {
      case 'identifier':
        return this.#word(token)
      case 'symbol':
        return this.#symbol(token)
      case 'end':
      case 'escaped':
        return this.#operandMissing()
      default:
        return this.#literal(token, '')
    }
  }

  #literal(token: Token, sign: '' | '-', at = token.at): Expr {
    this.#next()
    try {
      return { kind: 'literal', at, value: literalValue(token, sign) }
    } catch (error) {
      this.issues.push({ at, message: error instanceof Error ? error.message : String(error) })
      return { kind: 'literal', at, value: null }
    }
  }

  #word(token: Token): Expr {
    const constants: { readonly [word: string]: unknown } = { true: true, false: false, null: null }
    if (Object.hasOwn(constants, token.text)) {
      this.#next()
      return { kind: 'literal', at: token.at, value: constants[token.text] }
    }
    if (token.text === 'in') return this.#operandMissing()
    return this.#named('')
  }

  /** An identifier, a function call, or an object literal. */
  #named(dot: '' | '.', start = this.#token.at): Expr {
    const { text, at } = this.#name()
    if (this.#isMessage()) return this.#message(dot + text)
    if (reserved.has(text)) {
      this.issues.push({ at: start, message: `reserved identifier: ${text}` })
      if (this.#is('(')) this.#callOrMacro(text, undefined)
      return { kind: 'literal', at, value: null }
    }
    if (this.#is('(')) return this.#callOrMacro(dot + text, undefined)
    return { kind: 'ident', at, name: dot + text }
  }

  /** Whether a qualified name and a brace follow. */
  #isMessage(): boolean {
    let index = this.#index
    const is = (text: string) => this.#tokens[index]?.type === 'symbol' && this.#tokens[index]?.text === text
    while (is('.') && this.#tokens[index + 1]?.type === 'identifier') index += 2
    return is('{')
  }

  #message(first: string): Expr {
    let name = first
    while (this.#accept('.')) name += `.${this.#name().text}`
    const { at } = this.#expect('{')
    const fields = this.#list('}', (): FieldInit => {
      const optional = this.#optional()
      const field = this.#field()
      const colon = this.#expect(':')
      return { at: colon.at, field, optional, value: this.#expression() }
    })
    return { kind: 'struct', at, name, fields }
  }

  #symbol(token: Token): Expr {
    switch (token.text) {
      case '(': {
        this.#next()
        const inner = this.#expression()
        this.#expect(')')
        return inner
      }
      case '[':
        this.#next()
        return {
          kind: 'list',
          at: token.at,
          items: this.#list(']', (): Item => ({ optional: this.#optional(), value: this.#expression() })),
        }
      case '{':
        this.#next()
        return { kind: 'map', at: token.at, entries: this.#list('}', () => this.#entry()) }
      case '.':
        this.#next()
        return this.#token.type === 'identifier' ? this.#named('.', token.at) : this.#nameMissing()
      case '-': {
        const number = this.#tokens[this.#index + 1] as Token
        if (!this.#startsNumber()) return this.#operandMissing()
        this.#next()
        return this.#literal(number, '-', token.at)
      }
      default:
        return this.#operandMissing()
    }
  }

  #entry(): Entry {
    const optional = this.#optional()
    const key = this.#expression()
    const { at } = this.#expect(':')
    return { at, key, optional, value: this.#expression() }
  }

  /** Items separated by commas (a trailing comma is allowed), and the closing bracket. */
  #list<T>(closing: string, item: () => T): readonly T[] {
    const items: T[] = []
    while (!this.#is(closing)) {
      items.push(item())
      if (!this.#accept(',')) break
      // As ANTLR recovers: behind a trailing comma only the bracket is missing.
      if (this.#token.type === 'end') {
        this.issues.push({ at: this.#token.at, message: `Syntax error: missing '${closing}' at '${this.#token.text}'` })
        return items
      }
    }
    this.#expect(closing)
    return items
  }
}

const sums = new Set(['+', '-'])
const products = new Set(['*', '/', '%'])
/** Operators behind an operand. */
const operators = new Set([...sums, ...products, ...relations, '&&', '||', '?'])
const opening = new Set(['[', '{', '(', '.', '-', '!'])
const literals = new Set(['int', 'uint', 'double', 'string', 'bytes'])

const startsOperand = ({ type, text }: Token) =>
  literals.has(type) || (type === 'identifier' ? text !== 'in' : type === 'symbol' && opening.has(text))

function call(at: number, name: string, args: readonly Expr[], target?: Expr): Call {
  return { kind: 'call', at, function: name, target, args }
}

/** The tree of an expression, or its errors. */
export function parse(text: string, syntax: Syntax): { readonly tree: Expr } | { readonly issues: readonly Issue[] } {
  const size = text.length > maxLength ? [...text].length : 0
  if (size > maxLength)
    return { issues: [{ at: -1, message: `expression code point size exceeds limit: size: ${size}, limit ${maxLength}` }] }
  const parser = new Parser(text, syntax)
  try {
    const tree = parser.whole()
    return parser.issues.length === 0 ? { tree } : { issues: parser.issues }
  } catch (error) {
    if (!(error instanceof SyntaxFault)) throw error
    return { issues: [...parser.issues, error.issue] }
  }
}
