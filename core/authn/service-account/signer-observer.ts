import { CallError } from '../../ports.ts'

/** Is told what is asked of an external signer. A code is the name of a gRPC status, or `unknown-non-grpc` where it did not come to a call. */
export interface SignerObserver {
  /** `method` is its full name. */
  called(method: string, code: string, milliseconds: number): void
  signed(code: string): void
  /** `readAt`: when the signer had read the keys, in seconds since the epoch; absent when they did not come or are of no use. */
  fetchedKeys(code: string, readAt?: number): void
}

const ignore = () => undefined
export const unobservedSigner: SignerObserver = { called: ignore, signed: ignore, fetchedKeys: ignore }

/** The code of what a try failed with. */
export const codeOf = (error: unknown): string => (error instanceof CallError ? error.codeName : 'unknown-non-grpc')

/** Runs a try and says what came of it. */
export async function reported<T>(attempt: () => Promise<T>, report: (code: string, result?: T) => void): Promise<T> {
  try {
    const result = await attempt()
    report('OK', result)
    return result
  } catch (error) {
    report(codeOf(error))
    throw error
  }
}
