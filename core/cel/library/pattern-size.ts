/**
 * Number of instructions that a regular expression compiles to, at most; also bounds the time to compile it. Malformed patterns have any size.
 * Counting ends above `limit`, so that it takes no longer for a pattern of megabytes.
 */
export function patternSize(pattern: string, limit: number): number {
  const outer: number[] = []
  /** Sum of `outer`. */
  let enclosing = 0
  let total = 0
  /** Size of the last item, which a repetition multiplies. */
  let item = 0
  for (let at = 0; at < pattern.length && total + enclosing <= limit; at++) {
    const character = pattern[at] as string
    if (character === '{') {
      const [whole = '', min = '0', max = '0'] = repetition(pattern, at)
      const copies = Math.max(Number(min), Number(max || 0))
      if (whole !== '') {
        total += item * Math.max(0, copies - 1) + 1
        item *= Math.max(1, copies)
        at += whole.length - 1
        continue
      }
    }
    if (character === '(') {
      outer.push(total)
      enclosing += total
      total = 2
      continue
    }
    if (character === ')' && outer.length > 0) {
      item = total
      const before = outer.pop() as number
      enclosing -= before
      total += before
      continue
    }
    item = 1
    if (character === '\\') item = /[pP]/.test(pattern[++at] ?? '') ? unicodeClass : 1
    total += item
  }
  return total + enclosing
}

/** Instructions that take as long to compile as a class of Unicode characters. */
const unicodeClass = 40
const digits = /\{(\d{1,4})(?:,(\d{0,4}))?\}/y

function repetition(pattern: string, at: number): readonly string[] {
  digits.lastIndex = at
  return digits.exec(pattern) ?? []
}
