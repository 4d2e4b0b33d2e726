import { shorten } from '../schema/go/shorten.ts'

export interface Mismatch {
  /** Path such as `.spec.ports[0]`; empty: the value itself. */
  readonly path: string
  readonly message: string
}

/** Maximum characters of a path and of a message in the text. */
const maxShown = 1024

const line = ({ path, message }: Mismatch) => (path === '' ? '' : `${shorten(path, maxShown)}: `) + shorten(message, maxShown)

/** A value does not match its schema type, so that its fields can't be owned. */
export class TypeMismatch extends Error {
  override readonly name = 'TypeMismatch'

  constructor(mismatches: readonly Mismatch[]) {
    super(mismatches.length === 1 ? mismatches.map(line).join('') : ['errors:', ...mismatches.map((each) => `  ${line(each)}`)].join('\n'))
  }

  /** Prefixes the message with the operation that failed. */
  within(failing: string): this {
    this.message = `${failing}: ${this.message}`
    return this
  }
}
