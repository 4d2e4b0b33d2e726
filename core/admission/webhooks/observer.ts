/** Types of steps as metrics name them. */
export type StepType = 'admit' | 'validating'

/** Receives what webhooks are measured by. */
export interface WebhookObserver {
  /** A call ended; `code` is 200 for an answer that allows. */
  called(name: string, type: StepType, operation: string, rejected: boolean, code: number, milliseconds: number): void
  /** A request was refused because of the webhook. */
  rejected(name: string, type: StepType, operation: string, error: RejectionError, code: number): void
  /** A call failed, and the request went on. */
  failedOpen(name: string, type: StepType): void
  /** Match conditions kept a request from the webhook. */
  excluded(name: string, type: StepType, operation: string): void
}

export type RejectionError = 'calling_webhook_error' | 'apiserver_internal_error' | 'no_error'

export const unobserved: WebhookObserver = { called() {}, rejected() {}, failedOpen() {}, excluded() {} }
