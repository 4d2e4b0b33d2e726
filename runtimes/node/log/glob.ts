/** What one character of a name must be; undefined: any. */
type Expected = ((character: string) => boolean) | undefined

/** The class that begins at this bracket, and the index after it; undefined: it is malformed. */
function classAt(pattern: string, start: number): { readonly expected: Expected; readonly end: number } | undefined {
  const end = pattern.indexOf(']', start + 2)
  if (end === -1) return undefined
  const isNegated = pattern[start + 1] === '^'
  const members = pattern.slice(start + (isNegated ? 2 : 1), end)
  const ranges: (readonly [from: string, to: string])[] = []
  for (let at = 0; at < members.length; at++) {
    const from = members[at]!
    const isRange = members[at + 1] === '-' && at + 2 < members.length
    ranges.push([from, isRange ? members[at + 2]! : from])
    if (isRange) at += 2
  }
  return { expected: (character) => ranges.some(([from, to]) => character >= from && character <= to) !== isNegated, end: end + 1 }
}

/**
 * Whether a name matches a pattern with `*`, `?` and `[a-z]` (Go's path/filepath.Match, for names without slashes). A malformed pattern matches
 * nothing.
 */
export function matchesGlob(pattern: string, name: string): boolean {
  const parts: (Expected | '*')[] = []
  for (let at = 0; at < pattern.length; ) {
    const character = pattern[at]!
    const found = character === '[' ? classAt(pattern, at) : undefined
    if (character === '[' && found === undefined) return false
    parts.push(found ? found.expected : character === '*' ? '*' : character === '?' ? undefined : (each) => each === character)
    at = found?.end ?? at + 1
  }
  const fits = (part: Expected | '*', character: string) => part !== '*' && (part === undefined || part(character))
  // A mismatch goes back to the last star only, which takes one character more.
  let [part, at, star, mark] = [0, 0, -1, 0]
  while (at < name.length) {
    if (parts[part] === '*') [star, mark] = [part++, at]
    else if (part < parts.length && fits(parts[part], name[at]!)) [part, at] = [part + 1, at + 1]
    else if (star >= 0) [part, at] = [star + 1, ++mark]
    else return false
  }
  return parts.slice(part).every((each) => each === '*')
}
