import type { CustomResourceRow } from '../../resources/apiextensions/custom-resource.ts'
import { sameBytes } from '../../schema/bytes.ts'
import { type Names, sameNames } from './definition.ts'

/** Maximum definitions whose rows are kept. */
const maxDefinitions = 2_000

/** What rows are made from. The names are those that were just accepted, before the bytes have them. */
interface From {
  readonly json: Uint8Array
  readonly names: Partial<Names> | undefined
}

const isSame = (a: From, b: From) => sameBytes(a.json, b.json) && sameNames(a.names, b.names)

/**
 * Rows of definitions, which several servers use while a definition has the same bytes in each: schemas are read and compiled once. One version of
 * each definition is kept.
 */
export class SharedRows {
  readonly #known = new Map<string, { readonly from: From; readonly rows: readonly CustomResourceRow[] }>()

  /** The rows of a definition, made with `make` if they are not known. */
  of(name: string, from: From, make: () => readonly CustomResourceRow[]): readonly CustomResourceRow[] {
    const known = this.#known.get(name)
    if (known !== undefined && isSame(known.from, from)) return known.rows
    const rows = make()
    this.#known.delete(name)
    this.#known.set(name, { from, rows })
    const [oldest] = this.#known.keys()
    if (this.#known.size > maxDefinitions && oldest !== undefined) this.#known.delete(oldest)
    return rows
  }

  delete(name: string): void {
    this.#known.delete(name)
  }
}
