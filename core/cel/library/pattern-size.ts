/** Number of instructions that a regular expression compiles to, at most; also bounds the time to compile it. Malformed patterns have any size. */
export function patternSize(pattern: string): number {
  const outer: number[] = []
  let total = 0
  /** Size of the last item, which a repetition multiplies. */
  let item = 0
  for (let at = 0; at < pattern.length; at++) {
    const character = pattern[at] as string
    if (character === '{') {
      const [whole = '', least = '0', most = '0'] = repetition(pattern, at)
      const copies = Math.max(Number(least), Number(most || 0))
      if (whole !== '') {
        total += item * Math.max(0, copies - 1) + 1
        item *= Math.max(1, copies)
        at += whole.length - 1
        continue
      }
    }
    if (character === '(') {
      outer.push(total)
      total = 2
      continue
    }
    if (character === ')' && outer.length > 0) {
      item = total
      total += outer.pop() as number
      continue
    }
    item = 1
    if (character === '\\') item = /[pP]/.test(pattern[++at] ?? '') ? unicodeClass : 1
    total += item
  }
  return outer.reduce((sum, each) => sum + each, total)
}

/** Instructions that take as long to compile as a class of Unicode characters. */
const unicodeClass = 40
const digits = /\{(\d{1,4})(?:,(\d{0,4}))?\}/y

function repetition(pattern: string, at: number): readonly string[] {
  digits.lastIndex = at
  return digits.exec(pattern) ?? []
}
