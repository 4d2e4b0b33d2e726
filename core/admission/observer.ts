/** What admission is measured by. Times are in milliseconds. */

/** Types of webhooks as metrics name them. */
export type StepType = 'admit' | 'validating'

export type RejectionError = 'calling_webhook_error' | 'apiserver_internal_error' | 'no_error'

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

/** What has match conditions: a webhook or a policy. Policies of both kinds are of type `validate`. */
export interface ConditionOwner {
  readonly name: string
  readonly kind: 'webhook' | 'policy'
  readonly type: StepType | 'validate'
  readonly operation: string
}

/** What became of an expression of a policy. */
export type ExpressionError = 'no_error' | 'compile_error' | 'out_of_budget' | 'invalid_error'
export type EnforcementAction = 'allow' | 'deny' | 'audit' | 'warn'

export interface PolicyObserver {
  /** Match conditions were evaluated, with so many errors. */
  conditions(owner: ConditionOwner, errors: number, milliseconds: number): void
  /** A validation did not hold or failed, and what was done about it. */
  validated(policy: string, binding: string, error: ExpressionError, action: EnforcementAction, milliseconds: number): void
  /** A mutation was made, or failed. */
  mutated(policy: string, binding: string, error: ExpressionError, milliseconds: number): void
}

export interface ChainObserver {
  /** One plugin ended. */
  plugin(name: string, type: 'admit' | 'validate', operation: string, rejected: boolean, milliseconds: number): void
  /** All plugins of a phase ended. */
  phase(type: 'admit' | 'validate', operation: string, rejected: boolean, milliseconds: number): void
}

export type AdmissionObserver = WebhookObserver & PolicyObserver

const nothing = () => {}

export const unobserved: AdmissionObserver & ChainObserver = {
  called: nothing,
  rejected: nothing,
  failedOpen: nothing,
  excluded: nothing,
  conditions: nothing,
  validated: nothing,
  mutated: nothing,
  plugin: nothing,
  phase: nothing,
}

/** The kind of an error by its text, as metrics tell them apart. */
export function expressionError(message: string): ExpressionError {
  if (message.startsWith('compilation')) return 'compile_error'
  return message.startsWith('validation failed due to running out of cost budget') ? 'out_of_budget' : 'invalid_error'
}
