/** Tokenizes expressions (CEL specification, "Syntax"). */
import type { Issue } from './issues.ts'

export type TokenType = 'int' | 'uint' | 'double' | 'string' | 'bytes' | 'identifier' | 'escaped' | 'symbol' | 'end'

export interface Token {
  readonly type: TokenType
  readonly text: string
  readonly at: number
}

/** Order matters: longer and more specific tokens first. */
const rules: readonly (readonly [type: TokenType | 'skip', pattern: RegExp])[] = [
  ['skip', /(?:[\t \r\n\f]+|\/\/[^\n]*)+/y],
  ['double', /(?:[0-9]+\.[0-9]+(?:[eE][+-]?[0-9]+)?|[0-9]+[eE][+-]?[0-9]+|\.[0-9]+(?:[eE][+-]?[0-9]+)?)/y],
  ['uint', /(?:0x[0-9a-fA-F]+|[0-9]+)[uU]/y],
  ['int', /0x[0-9a-fA-F]+|[0-9]+/y],
  ['escaped', /`[A-Za-z0-9_./ -]+`/y],
  ['symbol', /==|!=|<=|>=|&&|\|\||[<>[\]{}().,\-!?:+*/%]/y],
]

const prefix = /(?:[bB]?[rR]?)(?="|')/y
const identifier = /[A-Za-z_][A-Za-z0-9_]*/y
const escapeSequence = /\\(?:[abfnrtv"'\\?`]|[0-3][0-7][0-7]|[xX][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8})/y

/** After this many errors (the maximum that is listed) quotes don't start strings: each unterminated one would be searched to the end of the text. */
const maxIssues = 100

function matchAt(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at
  return pattern.test(text) ? pattern.lastIndex : -1
}

/** End of the string that starts at a quote; -1 when it is unterminated. */
function endOfString(text: string, start: number, raw: boolean): number {
  const quote = text[start] ?? ''
  const triple = text.startsWith(quote.repeat(3), start)
  const closing = triple ? quote.repeat(3) : quote
  let at = start + closing.length
  while (at < text.length) {
    if (text.startsWith(closing, at)) return at + closing.length
    const character = text[at]
    if (!triple && (character === '\n' || character === '\r')) return -1
    if (character === '\\' && !raw) {
      at = matchAt(escapeSequence, text, at)
      if (at < 0) return -1
    } else at++
  }
  return -1
}

function stringAt(text: string, at: number): Token | undefined {
  const quote = matchAt(prefix, text, at)
  if (quote < 0) return undefined
  const marks = text.slice(at, quote).toLowerCase()
  const end = endOfString(text, quote, marks.includes('r'))
  if (end < 0) return undefined
  return { type: marks.includes('b') ? 'bytes' : 'string', text: text.slice(at, end), at }
}

/** A character, or an unterminated string up to the end of its line. */
function unrecognized(text: string, at: number): string {
  const quote = matchAt(prefix, text, at)
  const end = text.slice(at).search(/[\r\n]|$/)
  if (quote >= 0 && !text.slice(at, at + end).includes('\\')) return text.slice(at, at + end)
  return characterAt(text, at)
}

const characterAt = (text: string, at: number) => String.fromCodePoint(text.codePointAt(at) ?? 0)

/** The tokens of an expression, ending with `end`. Malformed ones are reported and skipped. */
export function tokensOf(text: string, issues: Issue[]): readonly Token[] {
  const tokens: Token[] = []
  let at = 0
  next: while (at < text.length) {
    const isLost = issues.length >= maxIssues
    const string = isLost ? undefined : stringAt(text, at)
    if (string) {
      tokens.push(string)
      at += string.text.length
      continue
    }
    const word = matchAt(identifier, text, at)
    if (word >= 0) {
      tokens.push({ type: 'identifier', text: text.slice(at, word), at })
      at = word
      continue
    }
    for (const [type, pattern] of rules) {
      const end = matchAt(pattern, text, at)
      if (end < 0) continue
      if (type !== 'skip') tokens.push({ type, text: text.slice(at, end), at })
      at = end
      continue next
    }
    const part = isLost ? characterAt(text, at) : unrecognized(text, at)
    issues.push({ at, message: `Syntax error: token recognition error at: '${part}'` })
    at += part.length
  }
  tokens.push({ type: 'end', text: '<EOF>', at: text.length })
  return tokens
}
