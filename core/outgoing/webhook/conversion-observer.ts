/** Why a call of a conversion webhook failed. */
export type CallFailure = 'call' | 'malformed_response' | 'partial_response' | 'invalid_converted_object'

/** Counts and times conversions by webhooks. */
export interface ConversionObserver {
  /** `failure` is absent when the call was successful. */
  called(failure: CallFailure | undefined, milliseconds: number): void
  /** Objects of a definition were converted from one version to another one. */
  converted(definition: string, from: string, to: string, succeeded: boolean, milliseconds: number): void
}
