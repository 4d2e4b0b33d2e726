import { badRequest } from '../respond/status.ts'
import { qualifiedName } from '../schema/name-formats.ts'
import { type LabelOperator, type LabelRequirement, requirementFault } from './label-requirement.ts'

/** `end` ends every list of tokens; keywords are told apart from words only where an operator may stand. */
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

function tokens(text: string): Token[] {
  const found: Token[] = []
  let at = 0
  while (at < text.length) {
    const character = text[at] as string
    if (isSpace(character)) at++
    else if (symbols.includes(character)) {
      const long = text[at + 1] === '=' && (character === '=' || character === '!')
      found.push({ type: 'symbol', text: long ? `${character}=` : character })
      at += long ? 2 : 1
    } else {
      const start = at
      while (at < text.length && !isSpace(text[at] as string) && !symbols.includes(text[at] as string)) at++
      found.push({ type: 'word', text: text.slice(start, at) })
    }
  }
  found.push({ type: 'end', text: '' })
  return found
}

/** Parses the requirements of a selector text, in its order. Throws BadRequest with the reference server's texts. */
export function parseRequirements(text: string): LabelRequirement[] {
  return new Parser(text).selector()
}

class Parser {
  readonly #tokens: readonly Token[]
  #at = 0

  constructor(text: string) {
    this.#tokens = tokens(text)
  }

  #peek(): Token {
    return this.#tokens[this.#at] as Token
  }

  #take(): Token {
    return this.#tokens[this.#at++] as Token
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
    if (absent) return check({ key: key.text, operator: '!', values: [] })
    if (this.#peek().type === 'end' || this.#isSymbol(',')) return check({ key: key.text, operator: 'exists', values: [] })
    const { text } = this.#take()
    const operator = operators.get(text)
    if (operator === undefined) fail(`found '${text}', expected: ${operatorNames}`)
    const values = operator === 'in' || operator === 'notin' ? this.#set() : [this.#value()]
    return check({ key: key.text, operator, values })
  }

  #value(): string {
    if (this.#peek().type === 'end' || this.#isSymbol(',')) return ''
    const { type, text } = this.#take()
    return type === 'word' ? text : fail(`found '${text}', expected: identifier`)
  }

  /** `(a,b)`, where leaving out a value means the empty one. Sorted, without repetition. */
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

function check(requirement: LabelRequirement): LabelRequirement {
  const fault = requirementFault(requirement)
  return fault === undefined ? requirement : fail(fault)
}

function fail(text: string): never {
  throw badRequest(`unable to parse requirement: ${text}`)
}
