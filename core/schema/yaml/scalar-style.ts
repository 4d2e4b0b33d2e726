/** How a string can be written in YAML: the analysis of go-yaml v2 (yaml_emitter_analyze_scalar), which the reference writes YAML with. */
import { resolvePlain } from './resolve.ts'

export type ScalarStyle = 'plain' | 'single' | 'double' | 'literal'

/** Words that only look like letters: no number, no date, no sign at the start. */
const simple = /^[A-Za-z_/][\w./+-]*$/
const startIndicators = new Set([...'#,[]{}&*!|>\'"%@`'])
/** Characters that are escaped: controls (tabs and U+0085 too), carriage returns, and all beyond the basic plane. */
const special = /[^\n -~\u00a0-\ud7ff\ue000-\ufefe\uff00-\ufffd]/
/** Line breaks that need no escape. */
const lineBreak = /[\n\u2028\u2029]/
const spaceBeforeBreak = / [\n\u2028\u2029]/
const spaceAfterBreak = /[\u2028\u2029] /
const base60 = /^[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?$/
const date =
  /^(\d{4})-(\d{1,2})-(\d{1,2})(?:[Tt](\d{1,2}:\d{1,2}:\d{1,2})(?:[.,]\d+)?(?:Z|[-+]\d\d:\d\d)| (\d{1,2}:\d{1,2}:\d{1,2})(?:[.,]\d+)?)?$/
/** A longer text is no date. */
const maxDateLength = 64

/** Whether YAML 1.1 reads the text as a timestamp. */
function isTimestamp(text: string): boolean {
  const match = text.length > maxDateLength ? null : date.exec(text)
  if (match === null) return false
  const [year, month, day] = match.slice(1, 4).map(Number) as [number, number, number]
  const [hours, minutes, seconds] = (match[4] ?? match[5] ?? '0:0:0').split(':').map(Number) as [number, number, number]
  const days = new Date(Date.UTC(2000 + (year % 400), month, 0)).getUTCDate()
  return month >= 1 && month <= 12 && day >= 1 && day <= days && hours < 24 && minutes < 60 && seconds < 60
}

/** Whether the text without quotes is a string for readers of YAML 1.1. */
const isString = (text: string) => resolvePlain(text) === text && !isTimestamp(text) && !base60.test(text)

/** Whether the text has characters with a meaning in YAML, so that a plain scalar would end or be something else. */
function hasIndicators(text: string): boolean {
  const first = text.charAt(0)
  if (startIndicators.has(first) || text.startsWith('---') || text.startsWith('...')) return true
  if ((first === '-' || first === '?') && (text.length === 1 || text[1] === ' ')) return true
  return text.endsWith(':') || text.includes(': ') || text.includes(' #')
}

/** The style of a string. */
export function scalarStyle(text: string): ScalarStyle {
  if (simple.test(text)) return isString(text) ? 'plain' : 'double'
  if (text === '' || special.test(text) || spaceBeforeBreak.test(text)) return 'double'
  if (text.includes('\n')) return text.endsWith(' ') ? 'double' : 'literal'
  if (!isString(text) || spaceAfterBreak.test(text)) return 'double'
  return text.startsWith(' ') || text.endsWith(' ') || lineBreak.test(text) || hasIndicators(text) ? 'single' : 'plain'
}
