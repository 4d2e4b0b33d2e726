import { shorten } from '../schema/shorten.ts'

export interface Mismatch {
  /** As `.spec.ports[0]`; empty: the value itself. */
  readonly path: string
  readonly message: string
}

/** Characters of a path and of a message that are shown. */
const maxShown = 1024

const line = ({ path, message }: Mismatch) => (path === '' ? '' : `${shorten(path, maxShown)}: `) + shorten(message, maxShown)

/** A value that is not of the type that its schema says, so that the fields in it have no owners. */
export class TypeMismatch extends Error {
  override readonly name = 'TypeMismatch'

  constructor(mismatches: readonly Mismatch[]) {
    super(mismatches.length === 1 ? mismatches.map(line).join('') : ['errors:', ...mismatches.map((each) => `  ${line(each)}`)].join('\n'))
  }

  /** The same, told as the cause of what failed. */
  within(failing: string): this {
    this.message = `${failing}: ${this.message}`
    return this
  }
}
