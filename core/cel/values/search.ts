/** Search in strings in linear time. The engine's own search takes quadratic time for long parts, and backwards for all. */
import { type MaybeSteps, Pace, type Parts, Steps, unitsOf } from '../steps.ts'

/** Work below this number of character comparisons is left to the engine. */
const few = 20_000
/** Characters that are searched without charging them, for pieces of long texts. */
const nearby = 512
/** Up to this length of the part the engine searches forwards in linear time. */
const shortPart = 200
/** Characters that the engine searches at once. */
const windowSize = 64 * 1024
const nanosecondsPerCharacter = 3

/** Position of the first occurrence at or after `from`; -1: none. */
export function search(text: string, part: string, from: number): MaybeSteps<number> {
  if ((text.length - from) * part.length <= few) return text.indexOf(part, from)
  const near = part.length * nearby <= few ? text.slice(from, from + nearby).indexOf(part) : -1
  return near >= 0 ? from + near : new Steps(forward(text, part, from))
}

function* forward(text: string, part: string, from: number): Parts<number> {
  if (part.length > shortPart) return yield* scan(text, part, from, 1)
  for (let at = from; at <= text.length - part.length; at += windowSize) {
    const end = Math.min(at + windowSize + part.length - 1, text.length)
    const found = text.slice(at, end).indexOf(part)
    yield unitsOf((found >= 0 ? found + part.length : end - at) * nanosecondsPerCharacter)
    if (found >= 0) return at + found
  }
  return -1
}

/**
 * Position of the first match of a pattern; -1: none. `width`: characters that the pattern looks at, at most. Patterns may not look at the start or
 * the end of the text.
 */
export function searchPattern(text: string, pattern: RegExp, width = 1): MaybeSteps<number> {
  return text.length * width <= few ? text.search(pattern) : new Steps(patternForward(text, pattern, width))
}

function* patternForward(text: string, pattern: RegExp, width: number): Parts<number> {
  for (let at = 0; at < text.length; at += windowSize) {
    const window = text.slice(at, at + windowSize + width - 1)
    yield unitsOf(window.length * nanosecondsPerCharacter)
    const found = window.search(pattern)
    // A match in the overlap may end beyond this window.
    if (found >= 0 && found < windowSize) return at + found
  }
  return -1
}

/** Position of the last occurrence at or before `from`; -1: none. */
export function searchBackwards(text: string, part: string, from: number): MaybeSteps<number> {
  if (Math.min(text.length, from + part.length) * part.length <= few) return text.lastIndexOf(part, from)
  return new Steps(scan(text, part, Math.min(from, text.length - part.length), -1))
}

/** Knuth, Morris and Pratt's search, in either direction. */
function* scan(text: string, part: string, from: number, by: 1 | -1): Parts<number> {
  const pace = new Pace()
  const { length } = part
  const first = by === 1 ? 0 : length - 1
  // For each length of a matched part: the length of the longest shorter one that it ends with.
  const shorter = new Int32Array(length + 1)
  for (let at = 1, matched = 0; at < length; at++) {
    if (pace.due(nanosecondsPerCharacter)) yield pace.units
    const code = part.charCodeAt(first + by * at)
    while (matched > 0 && part.charCodeAt(first + by * matched) !== code) {
      if (pace.due(nanosecondsPerCharacter)) yield pace.units
      matched = shorter[matched] as number
    }
    if (part.charCodeAt(first + by * matched) === code) matched++
    shorter[at + 1] = matched
  }
  let matched = 0
  for (let at = by === 1 ? from : from + length - 1; at >= 0 && at < text.length; at += by) {
    if (pace.due(nanosecondsPerCharacter)) yield pace.units
    const code = text.charCodeAt(at)
    while (matched > 0 && part.charCodeAt(first + by * matched) !== code) {
      if (pace.due(nanosecondsPerCharacter)) yield pace.units
      matched = shorter[matched] as number
    }
    if (part.charCodeAt(first + by * matched) === code) matched++
    if (matched === length) return by === 1 ? at - length + 1 : at
  }
  return -1
}
