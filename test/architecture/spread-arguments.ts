/** Finds calls that spread a list into their arguments. Each argument takes room on the stack: a long list ends in a RangeError, or the process. */
import type { Source } from './graph.ts'

/** Comments, texts and regular expressions, of which nothing is looked at. */
const skipped =
  /\/\/.*|\/\*[\s\S]*?\*\/|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|(?<=[=(,:!&|?]\s*)\/(?![/*])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\/\w*/g
const opens = '([{'
const closes = ')]}'

/** Index behind the bracket that closes the one at `at`. */
function endOf(text: string, at: number): number {
  let depth = 0
  for (let index = at; index < text.length; index++) {
    const character = text[index] as string
    if (opens.includes(character)) depth++
    else if (closes.includes(character) && --depth === 0) return index + 1
  }
  return text.length
}

/** Index of the innermost bracket that is open at `at`. */
function openerOf(text: string, at: number): number {
  let depth = 0
  for (let index = at - 1; index >= 0; index--) {
    const character = text[index] as string
    if (closes.includes(character)) depth++
    else if (opens.includes(character) && depth-- === 0) return index
  }
  return -1
}

/** Whether the parentheses that open at `at` are those of a call, not of parameters. */
function isCall(text: string, at: number): boolean {
  if (text[at] !== '(' || !/[\w$)\]>#]\s*$/.test(text.slice(0, at))) return false
  if (/\b(?:function\*?|constructor|set|static)\s*[\w$#]*(?:<[^()]*>)?\s*$/.test(text.slice(Math.max(0, at - 80), at))) return false
  return !/^\s*(?:=>|\{|:(?!:))/.test(text.slice(endOf(text, at)))
}

/** Spread arguments of a source, as they are written; parameters of the same name that gather arguments pass on as many as they were given. */
export function spreadArguments({ text }: Source): string[] {
  const code = text.replace(skipped, (part) => ' '.repeat(part.length))
  const gathered = new Set([...code.matchAll(/\.\.\.([\w$]+)\s*:/g)].map(([, name]) => name))
  const found: string[] = []
  for (const { index } of code.matchAll(/\.\.\./g)) {
    const opener = openerOf(code, index)
    if (opener < 0 || !isCall(code, opener)) continue
    const spread = text.slice(index + 3, endOf(code, opener) - 1).split(/\s/)[0] as string
    if (gathered.has(/^[\w$]+/.exec(spread)?.[0]) && /^[\w$]+,?$/.test(spread)) continue
    const callee = /[\w$.#?]+\s*$/.exec(code.slice(0, opener))?.[0] ?? ''
    found.push(`${callee}(...${spread.replace(/,$/, '')})`)
  }
  return found
}
