/** Order of the members of an object in YAML, as in Go's yaml package (keyList in sorter.go). */

const letter = /\p{L}/u
const isLetter = (code: number) => (code < 128 ? (code | 32) >= 97 && (code | 32) <= 122 : letter.test(String.fromCharCode(code)))
const isDigit = (code: number) => code >= 48 && code <= 57
const zero = 48

/** The digits of a text from an index. */
function digitsAt(text: string, start: number): string {
  let end = start
  while (isDigit(text.charCodeAt(end))) end++
  return text.slice(start, end)
}

/** Whether a nonzero digit directly precedes the index: then a zero there is part of a number, not in front of it. */
function followsNumber(text: string, index: number): boolean {
  for (let at = index - 1; at >= 0 && isDigit(text.charCodeAt(at)); at--) if (text.charCodeAt(at) !== zero) return true
  return false
}

/** Compares two keys: other characters before letters, numbers by value. Some keys are in a cycle (a10, a1b, a9), as in Go. */
export function compareKeys(a: string, b: string): number {
  const shorter = Math.min(a.length, b.length)
  let at = 0
  while (at < shorter && a.charCodeAt(at) === b.charCodeAt(at)) at++
  if (at === shorter) return a.length - b.length
  const [x, y] = [a.charCodeAt(at), b.charCodeAt(at)]
  if (isLetter(x) && isLetter(y)) return x - y
  if (isLetter(x)) return 1
  if (isLetter(y)) return -1
  const prefix = (x === zero || y === zero) && followsNumber(a, at) ? '1' : ''
  const [left, right] = [digitsAt(a, at), digitsAt(b, at)]
  // As texts, because they may be longer than a number is exact.
  const [m, n] = [left, right].map((digits) => (prefix + digits).replace(/^0+/, '')) as [string, string]
  if (m !== n) return m.length - n.length || (m < n ? -1 : 1)
  return left.length - right.length || x - y
}
