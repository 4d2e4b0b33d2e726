/** Suggestions for misspelt names. */

/** Levenshtein distance of two texts, or more than `limit`. */
function distance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) > limit) return limit + 1
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const changed = (previous[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      row.push(Math.min(changed, (previous[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1))
    }
    previous = row
  }
  return previous[b.length] ?? limit + 1
}

/** The most similar of the candidates, if any is similar. */
export function closest(name: string, candidates: readonly string[]): string | undefined {
  const limit = name.length < 5 ? 1 : 3
  let best: string | undefined
  let bestDistance = limit + 1
  for (const candidate of candidates) {
    const edits = distance(name, candidate, limit)
    if (edits < bestDistance) [best, bestDistance] = [candidate, edits]
  }
  return best
}
