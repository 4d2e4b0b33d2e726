import { firstNot } from '../../../core/common/sorted-index.ts'

/** Offsets of records by revision in one file, so that old values need not stay in memory. */
export class Places {
  /** Revisions in ascending order, with their offsets; those of a transaction several times. */
  readonly #revisions: number[] = []
  readonly #offsets: number[] = []

  /** @param revision not lower than those before. */
  add(revision: number, offset: number): void {
    this.#revisions.push(revision)
    this.#offsets.push(offset)
  }

  /** The newest revision; 0 when there is none. */
  get last(): number {
    return this.#revisions.at(-1) ?? 0
  }

  /** Offsets of the records of a revision. */
  offsets(revision: number): readonly number[] {
    const revisions = this.#revisions
    const start = firstNot(0, revisions.length, (index) => revisions[index]! < revision)
    let end = start
    while (revisions[end] === revision) end++
    return this.#offsets.slice(start, end)
  }
}
