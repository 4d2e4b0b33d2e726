import { CallError } from '../../ports.ts'

/** Receives calls to an external signer. A code is the name of a gRPC status, or `unknown-non-grpc` when no call was made. */
export interface SignerObserver {
  /** `method` is the full gRPC method name. */
  called(method: string, code: string, milliseconds: number): void
  signed(code: string): void
  /** `readAt`: when the signer read the keys, in seconds since the epoch; absent when they were not received or can't be used. */
  fetchedKeys(code: string, readAt?: number): void
}

const ignore = () => undefined
export const unobservedSigner: SignerObserver = { called: ignore, signed: ignore, fetchedKeys: ignore }

/** The code for an error. */
const codeOf = (error: unknown): string => (error instanceof CallError ? error.codeName : 'unknown-non-grpc')

/** Runs an attempt and reports its code. */
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
