import type { JsonObject } from './model.ts'

const none: readonly string[] = []

/**
 * Pushes the positions of the given fields onto a stack, in the order of the keys, and returns the keys that are not fields. Walkers of
 * values within each other share the stack; each takes off what was pushed for it.
 */
export function pushPositions(positions: ReadonlyMap<string, number>, value: JsonObject, stack: number[]): readonly string[] {
  let rest = none as string[]
  for (const key in value) {
    const position = positions.get(key)
    if (position !== undefined) {
      stack.push(position)
      continue
    }
    if (rest === none) rest = []
    rest.push(key)
  }
  return rest
}

/** Puts what was pushed from `start` on into ascending order. Returns whether it was. */
export function sortFrom(stack: number[], start: number): boolean {
  let isOrdered = true
  for (let next = start + 1; next < stack.length; next++) {
    const position = stack[next] as number
    let at = next
    for (; at > start && (stack[at - 1] as number) > position; at--) stack[at] = stack[at - 1] as number
    if (at === next) continue
    stack[at] = position
    isOrdered = false
  }
  return isOrdered
}

/** So many texts are put in order faster by moving them one by one. */
const fewTexts = 16

/** Puts texts into ascending order. Returns whether they were. */
export function sortTexts(texts: string[]): boolean {
  for (let next = 1; next < texts.length; next++) {
    const text = texts[next] as string
    if ((texts[next - 1] as string) <= text) continue
    if (texts.length > fewTexts) texts.sort()
    else sortFewTexts(texts, next)
    return false
  }
  return true
}

/** `from`: the first text that is less than the one before it. */
function sortFewTexts(texts: string[], from: number): void {
  for (let next = from; next < texts.length; next++) {
    const text = texts[next] as string
    let at = next
    for (; at > 0 && (texts[at - 1] as string) > text; at--) texts[at] = texts[at - 1] as string
    texts[at] = text
  }
}
