import { badRequest } from '../answers/status.ts'
import { qualifiedName } from '../schema/formats/name-formats.ts'
import { type LabelOperator, type LabelRequirement, requirementFault } from './label-requirement.ts'

/** After the last token all further ones are `end`. Keywords are distinguished from words only where an operator is allowed. */
interface Token {
  readonly type: 'word' | 'symbol' | 'end'
  readonly text: string
}

const symbols = '=!(),><'
const operators = new Map<string, LabelOperator>([
  ['in', 'in'],
  ['notin', 'notin'],
  ['=', '='],
  ['==', '=='],
  ['!=', '!='],
  ['>', 'gt'],
  ['<', 'lt'],
])
const operatorNames = [...operators.values()].join(', ')
const isSpace = (character: string) => character === ' ' || character === '\t' || character === '\r' || character === '\n'

/** Parses the requirements of a selector in the given order. Throws BadRequest with the reference server's texts. */
export function parseRequirements(text: string): LabelRequirement[] {
  return new Parser(text).selector()
}

const end: Token = { type: 'end', text: '' }
const none: readonly string[] = []

/** Tokenizes on demand: a selector may have a million tokens. */
class Parser {
  readonly #text: string
  #at = 0
  #next: Token

  constructor(text: string) {
    this.#text = text
    this.#next = this.#read()
  }

  #read(): Token {
    const text = this.#text
    while (this.#at < text.length && isSpace(text[this.#at] as string)) this.#at++
    if (this.#at === text.length) return end
    const start = this.#at++
    const character = text[start] as string
    if (symbols.includes(character)) {
      if (text[this.#at] === '=' && (character === '=' || character === '!')) this.#at++
      return { type: 'symbol', text: text.slice(start, this.#at) }
    }
    while (this.#at < text.length && !isSpace(text[this.#at] as string) && !symbols.includes(text[this.#at] as string)) this.#at++
    return { type: 'word', text: text.slice(start, this.#at) }
  }

  #peek(): Token {
    return this.#next
  }

  #take(): Token {
    const token = this.#next
    this.#next = this.#read()
    return token
  }

  #isSymbol(text: string): boolean {
    return this.#peek().type === 'symbol' && this.#peek().text === text
  }

  #startsRequirement(): boolean {
    return this.#peek().type === 'word' || this.#isSymbol('!')
  }

  selector(): LabelRequirement[] {
    const requirements: LabelRequirement[] = []
    if (this.#peek().type === 'end') return requirements
    if (!this.#startsRequirement()) throw badRequest(`found '${this.#peek().text}', expected: !, identifier, or 'end of string'`)
    for (;;) {
      requirements.push(this.#requirement())
      const { type, text } = this.#take()
      if (type === 'end') return requirements
      if (text !== ',' || type !== 'symbol') throw badRequest(`found '${text}', expected: ',' or 'end of string'`)
      if (!this.#startsRequirement()) throw badRequest(`found '${this.#peek().text}', expected: identifier after ','`)
    }
  }

  #requirement(): LabelRequirement {
    const absent = this.#isSymbol('!')
    if (absent) this.#take()
    const key = this.#take()
    if (key.type !== 'word') fail(`found '${key.text}', expected: identifier`)
    const faults = qualifiedName(key.text)
    if (faults.length > 0) fail(`<nil>: Invalid value: ${JSON.stringify(key.text)}: ${faults.join('; ')}`)
    if (absent) return validateRequirement({ key: key.text, operator: '!', values: none })
    if (this.#peek().type === 'end' || this.#isSymbol(',')) return validateRequirement({ key: key.text, operator: 'exists', values: none })
    const { text } = this.#take()
    const operator = operators.get(text)
    if (operator === undefined) fail(`found '${text}', expected: ${operatorNames}`)
    const values = operator === 'in' || operator === 'notin' ? this.#set() : [this.#value()]
    return validateRequirement({ key: key.text, operator, values })
  }

  #value(): string {
    if (this.#peek().type === 'end' || this.#isSymbol(',')) return ''
    const { type, text } = this.#take()
    return type === 'word' ? text : fail(`found '${text}', expected: identifier`)
  }

  /** Parses `(a,b)`; an omitted value is the empty string. Sorted, without duplicates. */
  #set(): string[] {
    const open = this.#take()
    if (open.type !== 'symbol' || open.text !== '(') fail(`found '${open.text}' expected: '('`)
    if (this.#isSymbol(')')) {
      this.#take()
      return ['']
    }
    if (this.#peek().type !== 'word' && !this.#isSymbol(',')) fail(`found '${this.#peek().text}', expected: ',', ')' or identifier`)
    const values = new Set<string>()
    for (;;) {
      const { type, text } = this.#take()
      if (type === 'word') {
        values.add(text)
        if (!this.#isSymbol(',') && !this.#isSymbol(')')) fail(`found '${this.#peek().text}', expected: ',' or ')'`)
      } else if (type === 'symbol' && text === ',') {
        if (values.size === 0 || this.#isSymbol(',') || this.#isSymbol(')')) values.add('')
      } else if (type === 'symbol' && text === ')') return [...values].sort()
      else fail(`found '${text}', expected: ',', or identifier`)
    }
  }
}

function validateRequirement(requirement: LabelRequirement): LabelRequirement {
  const fault = requirementFault(requirement)
  return fault === undefined ? requirement : fail(fault)
}

function fail(text: string): never {
  throw badRequest(`unable to parse requirement: ${text}`)
}
