/**
 * An evaluation error with its message. It has no stack: `||`, `&&` and loops absorb errors, so expressions may
 * raise many.
 */
export class CelError {
  readonly message: string
  constructor(message: string) {
    this.message = message
  }
}

/** Ends an evaluation; expressions can't absorb it. */
export class Cancelled {
  readonly message: string
  constructor(message: string) {
    this.message = message
  }
}

/** Interrupts an evaluation to wait for an answer or the next time slice; resume after the promise is fulfilled. */
export class Pending {
  readonly answer: Promise<unknown>
  constructor(answer: Promise<unknown>) {
    this.answer = answer
  }
}

/** Throws a CelError. */
export function fail(message: string): never {
  throw new CelError(message)
}
