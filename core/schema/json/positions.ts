import type { JsonObject } from '../model.ts'

const none: readonly string[] = []

/** A stack with its own height, because engines shrink arrays slowly. */
export class PositionStack {
  readonly items: number[] = []
  height = 0
}

/**
 * Pushes the positions of an object's fields in key order, and returns the unknown keys. Nested walkers share the stack; each restores the
 * height afterwards.
 */
export function pushPositions(positions: ReadonlyMap<string, number>, value: JsonObject, stack: PositionStack): readonly string[] {
  const { items } = stack
  let { height } = stack
  let rest = none as string[]
  for (const key in value) {
    const position = positions.get(key)
    if (position !== undefined) {
      items[height++] = position
      continue
    }
    if (rest === none) rest = []
    rest.push(key)
  }
  stack.height = height
  return rest
}

/** Sorts the positions pushed from `start` on. Returns whether they were sorted already. */
export function sortFrom({ items, height }: PositionStack, start: number): boolean {
  let isOrdered = true
  for (let next = start + 1; next < height; next++) {
    const position = items[next] as number
    let at = next
    for (; at > start && (items[at - 1] as number) > position; at--) items[at] = items[at - 1] as number
    if (at === next) continue
    items[at] = position
    isOrdered = false
  }
  return isOrdered
}

/** Up to this many strings, insertion sort is faster. */
const fewTexts = 16

/** Sorts strings in place. Returns whether they were sorted already. */
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

/** `from`: index of the first string that is less than its predecessor. */
function sortFewTexts(texts: string[], from: number): void {
  for (let next = from; next < texts.length; next++) {
    const text = texts[next] as string
    let at = next
    for (; at > 0 && (texts[at - 1] as string) > text; at--) texts[at] = texts[at - 1] as string
    texts[at] = text
  }
}
