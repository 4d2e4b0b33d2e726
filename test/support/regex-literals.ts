/** Finds regular expression literals in source text, with a small scanner for comments, strings and templates. */

export interface Literal {
  readonly line: number
  readonly source: string
  readonly flags: string
}

/** Text after which a slash is a division; after anything else it starts a regular expression. */
const operand = /[\w$)\]]$/
const keyword = /\b(?:return|typeof|case|in|of|do|else|yield|await)$/

export function regexLiterals(text: string): Literal[] {
  const found: Literal[] = []
  const templates: number[] = []
  let before = ''
  let braces = 0
  const first = text.startsWith('#!') ? end(text, '\n', 0) : 0
  for (let at = first; at < text.length; at++) {
    const two = text.slice(at, at + 2)
    const character = text[at] as string
    if (two === '//') at = end(text, '\n', at)
    else if (two === '/*') at = end(text, '*/', at + 2) + 1
    else if (character === '"' || character === "'") {
      at = endOfString(text, at, character)
      before = ')'
    } else if (character === '`' || (character === '}' && templates.at(-1) === braces)) {
      if (character === '}') templates.pop()
      at = endOfTemplate(text, at)
      if (text[at] === '{') templates.push(braces)
      before = text[at] === '{' ? '(' : ')'
    } else if (character === '/' && (!operand.test(before) || keyword.test(before))) {
      const close = endOfRegex(text, at)
      const flags = /^[a-z]*/.exec(text.slice(close + 1, close + 10))?.[0] ?? ''
      found.push({ line: text.slice(0, at).split('\n').length, source: text.slice(at + 1, close), flags })
      at = close + flags.length
      before = ')'
    } else {
      if (character === '{') braces++
      if (character === '}') braces--
      if (!/\s/.test(character)) before = before.slice(-12) + character
      else if (keyword.test(before)) before += ''
    }
  }
  return found
}

function end(text: string, mark: string, from: number): number {
  const at = text.indexOf(mark, from)
  return at < 0 ? text.length : at
}

function endOfString(text: string, start: number, quote: string): number {
  let at = start + 1
  while (at < text.length && text[at] !== quote) at += text[at] === '\\' ? 2 : 1
  return at
}

/** Index after the closing backtick or the start of the next substitution. */
function endOfTemplate(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === '\\') at++
    else if (text[at] === '`') return at
    else if (text[at] === '$' && text[at + 1] === '{') return at + 1
  }
  return text.length
}

function endOfRegex(text: string, start: number): number {
  let inClass = false
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === '\\') at++
    else if (text[at] === '[') inClass = true
    else if (text[at] === ']') inClass = false
    else if (text[at] === '/' && !inClass) return at
  }
  return text.length
}
