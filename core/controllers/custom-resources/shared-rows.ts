import type { CustomResourceRow } from '../../resources/apiextensions/custom-resource.ts'
import { sameBytes } from '../../schema/bytes.ts'

/** Maximum definitions whose rows are kept. */
const maxDefinitions = 2_000

/**
 * Rows of definitions, which several servers use while a definition has the same bytes in each: schemas are read and compiled once. One version of
 * each definition is kept.
 */
export class SharedRows {
  readonly #known = new Map<string, { readonly json: Uint8Array; readonly rows: readonly CustomResourceRow[] }>()

  /** The rows of a definition with these bytes, made with `make` if they are not known. */
  of(name: string, json: Uint8Array, make: () => readonly CustomResourceRow[]): readonly CustomResourceRow[] {
    const known = this.#known.get(name)
    if (known !== undefined && sameBytes(known.json, json)) return known.rows
    const rows = make()
    this.#known.delete(name)
    this.#known.set(name, { json, rows })
    const [oldest] = this.#known.keys()
    if (this.#known.size > maxDefinitions && oldest !== undefined) this.#known.delete(oldest)
    return rows
  }

  delete(name: string): void {
    this.#known.delete(name)
  }
}
