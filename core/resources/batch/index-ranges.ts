/** Lists of indexes such as `1,3-5,7`: ascending, without duplicates. */

export interface IndexRange {
  readonly first: number
  readonly last: number
}

function indexOf(text: string, completions: number): number {
  if (!/^[+-]?\d+$/.test(text)) throw new Error(`cannot convert string to integer for index: ${JSON.stringify(text)}`)
  const index = Number(text)
  if (index >= completions) throw new Error(`too large index: ${JSON.stringify(text)}`)
  return index
}

function rangeOf(text: string, completions: number): IndexRange {
  const [start = '', end, ...more] = text.split('-')
  if (more.length > 0)
    throw new Error(
      `the fragment ${JSON.stringify(text)} violates the requirement that an index interval can have at most two parts separated by '-'`,
    )
  const first = indexOf(start, completions)
  if (end === undefined) return { first, last: first }
  const last = indexOf(end, completions)
  if (first >= last) throw new Error(`non-increasing order, previous: ${first}, current: ${last}`)
  return { first, last }
}

/** Parses a list of indexes below `completions`. Throws an Error with the reference's text when it is malformed. */
export function parseIndexes(text: string, completions: number): IndexRange[] {
  if (text === '') return []
  let previous: number | undefined
  return text.split(',').map((part) => {
    const range = rangeOf(part, completions)
    if (previous !== undefined && previous >= range.first)
      throw new Error(`non-increasing order, previous: ${previous}, current: ${range.first}`)
    previous = range.last
    return range
  })
}

export const countIndexes = (ranges: readonly IndexRange[]) => ranges.reduce((sum, { first, last }) => sum + last - first + 1, 0)
