/** Errors of an expression, in the format that clients know. */

export interface Issue {
  /** UTF-16 offset in the expression; -1: the expression as a whole. */
  readonly at: number
  readonly message: string
}

/** Maximum listed errors; the rest is counted. */
const maxListed = 100
/** Maximum bytes of a quoted line. */
const maxSnippetBytes = 16_384

interface Position {
  readonly line: number
  /** Preceding code points in the line. */
  readonly column: number
}

function positionOf(text: string, at: number): Position {
  if (at < 0) return { line: -1, column: -1 }
  // As cel-go tells the end of an empty expression.
  if (text === '') return { line: 1, column: -1 }
  const before = text.slice(0, at)
  const start = before.lastIndexOf('\n') + 1
  return { line: before.split('\n').length, column: [...before.slice(start)].length }
}

const isWide = (character: string) => (character.codePointAt(0) ?? 0) > 0x7f

function describe(text: string, { line, column }: Position, message: string): string {
  const summary = `ERROR: <input>:${line}:${column + 1}: ${message}`
  const snippet = column < 0 ? undefined : text.split('\n')[line - 1]?.replaceAll('\t', ' ')
  if (snippet === undefined || new TextEncoder().encode(snippet).length > maxSnippetBytes) return summary
  const characters = [...snippet]
  const dots = characters.slice(0, column).map((each) => (isWide(each) ? '\uff0e' : '.'))
  const at = characters[column]
  return `${summary}\n | ${snippet}\n | ${dots.join('')}${at !== undefined && isWide(at) ? '\uff3e' : '^'}`
}

/** Formats all errors of an expression, by position. */
export function describeIssues(text: string, issues: readonly Issue[]): string {
  const listed = issues.slice(0, maxListed).map(({ at, message }) => ({ message, position: positionOf(text, at) }))
  listed.sort((a, b) => a.position.line - b.position.line || a.position.column - b.position.column)
  const lines = listed.map(({ position, message }) => describe(text, position, message))
  if (issues.length > maxListed) lines.push(`${issues.length - maxListed} more errors were truncated`)
  return lines.join('\n')
}
