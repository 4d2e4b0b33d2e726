import { firstNot } from '../../../core/common/sorted-index.ts'

/** Offsets of records by revision in one file, so that old values need not stay in memory. */
export class Places {
  /** Revisions in ascending order, with their offsets. */
  readonly #revisions: number[] = []
  readonly #offsets: number[] = []

  /** @param revision higher than those before. */
  add(revision: number, offset: number): void {
    this.#revisions.push(revision)
    this.#offsets.push(offset)
  }

  /** Offset of a revision; 0 when it is not in the file. */
  get last(): number {
    return this.#revisions.at(-1) ?? 0
  }

  offset(revision: number): number | undefined {
    const revisions = this.#revisions
    const at = firstNot(0, revisions.length, (index) => revisions[index]! < revision)
    return revisions[at] === revision ? this.#offsets[at] : undefined
  }
}
