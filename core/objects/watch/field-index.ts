import type { StoredObject } from '../storage/stored-object.ts'

/** Index of entries by the text of one field. */
export class FieldIndex {
  readonly #textOf: (entry: StoredObject) => string
  readonly #byText = new Map<string, Map<string, StoredObject>>()

  constructor(textOf: (entry: StoredObject) => string) {
    this.#textOf = textOf
  }

  /** Replaces an entry by another one with the same key; either may be absent. */
  replace(before: StoredObject | undefined, after: StoredObject | undefined): void {
    const [old, text] = [before && this.#textOf(before), after && this.#textOf(after)]
    if (before && old !== undefined && old !== text) {
      const group = this.#byText.get(old)
      group?.delete(before.key)
      if (group?.size === 0) this.#byText.delete(old)
    }
    if (after === undefined || text === undefined) return
    const group = this.#byText.get(text) ?? new Map<string, StoredObject>()
    this.#byText.set(text, group)
    group.set(after.key, after)
  }

  /** Entries with this text, in key order. */
  of(text: string): StoredObject[] {
    return [...(this.#byText.get(text)?.values() ?? [])].sort((a, b) => (a.key < b.key ? -1 : 1))
  }
}
