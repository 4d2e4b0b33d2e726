/**
 * An evaluation that has no result, with the reason in one line. It carries no stack: `||`, `&&` and loops absorb errors, so that
 * expressions may raise many.
 */
export class CelError {
  readonly message: string
  constructor(message: string) {
    this.message = message
  }
}

/** Ends an evaluation whatever the expression would absorb. */
export class Cancelled {
  readonly message: string
  constructor(message: string) {
    this.message = message
  }
}

/** Interrupts an evaluation that needs an answer which takes time, or has taken long enough; it goes on once the promise is fulfilled. */
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
