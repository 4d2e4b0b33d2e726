import { StoreError } from '../../../core/ports.ts'

/** Damage that a torn, unacknowledged write can't explain. */
export class Damage extends Error {
  readonly file: string
  readonly offset: number

  constructor(file: string, offset: number, what: string) {
    super(what)
    this.file = file
    this.offset = offset
  }

  /** Value for `--data-dir-recover`, which permits losing this damage only. */
  get place(): string {
    return `${this.file}:${this.offset}`
  }
}

/** The one-line error of a refused start: damage and what to do. */
export function refusal(directory: string, damage: Damage): StoreError {
  return new StoreError(
    'corrupt',
    `${directory}/${damage.file}: offset ${damage.offset}: ${damage.message}; restore a snapshot into another directory ` +
      `(apiserver snapshot restore FILE --data-dir=DIR), or start once with --data-dir-recover=${damage.place}, ` +
      'which keeps all records that verify and logs the losses',
  )
}
