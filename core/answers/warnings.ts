/** Bounds on warnings per response, in characters, as in the reference server (apiserver/pkg/endpoints/filters/warning.go). */
const maxInAll = 4 * 1024
const maxEach = 256

/** Number of characters (not UTF-16 units) of a text, counted up to a limit. */
function length(text: string, limit: number): number {
  if (text.length > 2 * limit) return limit + 1
  let count = 0
  for (const _ of text) count++
  return count
}

function start(text: string): string {
  if (text.length <= maxEach) return text
  return Array.from(text.slice(0, 2 * maxEach))
    .slice(0, maxEach)
    .join('')
}

/** A header can't hold control characters: the reference leaves such texts out. */
const control = /\p{Cc}/u

/** Removes duplicates. When the total is too long, each text is truncated and those beyond the limit are dropped. */
export function boundedWarnings(texts: readonly string[]): readonly string[] {
  const once = [...new Set(texts)].filter((text) => text !== '' && !control.test(text))
  let size = 0
  const crossing = once.findIndex((text) => {
    size += length(text, maxInAll)
    return size > maxInAll
  })
  if (crossing < 0) return once
  const kept: string[] = []
  size = 0
  for (const [index, text] of once.entries()) {
    if (index > crossing && size >= maxInAll) break
    const cut = start(text)
    size += length(cut, maxEach)
    kept.push(cut)
  }
  return kept
}
