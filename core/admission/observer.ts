/** Receives admission events for metrics. Times are in milliseconds. */

/** Webhook types in metrics labels. */
export type StepType = 'admit' | 'validating'

export type RejectionError = 'calling_webhook_error' | 'apiserver_internal_error' | 'no_error'

export interface WebhookObserver {
  /** A call ended; `code` is 200 if the webhook allowed the request. */
  called(name: string, type: StepType, operation: string, rejected: boolean, code: number, milliseconds: number): void
  /** A request was rejected because of the webhook. */
  rejected(name: string, type: StepType, operation: string, error: RejectionError, code: number): void
  /** A call failed and was ignored. */
  failedOpen(name: string, type: StepType): void
  /** Match conditions excluded a request from the webhook. */
  excluded(name: string, type: StepType, operation: string): void
}

/** Owner of match conditions: a webhook or policy. Policies of both kinds have type `validate`. */
export interface ConditionOwner {
  readonly name: string
  readonly kind: 'webhook' | 'policy'
  readonly type: StepType | 'validate'
  readonly operation: string
}

/** Result of a policy expression. */
export type ExpressionError = 'no_error' | 'compile_error' | 'out_of_budget' | 'invalid_error'
export type EnforcementAction = 'allow' | 'deny' | 'audit' | 'warn'

export interface PolicyObserver {
  /** Match conditions were evaluated, with this number of errors. */
  conditions(owner: ConditionOwner, errors: number, milliseconds: number): void
  /** A validation was false or failed; `action` is what followed. */
  validated(policy: string, binding: string, error: ExpressionError, action: EnforcementAction, milliseconds: number): void
  /** A mutation was made or failed. */
  mutated(policy: string, binding: string, error: ExpressionError, milliseconds: number): void
}

/** How a request appears in metrics of Pod Security: `pod`, `namespace` or `controller`. */
export interface PodSecurityRequest {
  readonly operation: string
  readonly resource: 'pod' | 'namespace' | 'controller'
  readonly subresource: string
}

export interface PodSecurityObserver {
  /** A pod was compared with the policy of a mode. `version`: such as v1.36, latest, or future for a release after this one. */
  judged(decision: 'allow' | 'deny', mode: 'enforce' | 'audit' | 'warn', level: string, version: string, request: PodSecurityRequest): void
  exempted(request: PodSecurityRequest): void
  /** The policy could not be read; fatal: the request was refused. */
  failed(fatal: boolean, request: PodSecurityRequest): void
}

export type Ended = (rejected: boolean, milliseconds: number) => void

export interface ChainObserver {
  /** Receives the ends of one plugin. */
  plugin(name: string, type: 'admit' | 'validate', operation: string): Ended
  /** Receives the ends of all plugins of a phase. */
  phase(type: 'admit' | 'validate', operation: string): Ended
}

export type AdmissionObserver = WebhookObserver & PolicyObserver & PodSecurityObserver

const nothing = () => {}

export const unobserved: AdmissionObserver & ChainObserver = {
  called: nothing,
  rejected: nothing,
  failedOpen: nothing,
  excluded: nothing,
  conditions: nothing,
  validated: nothing,
  mutated: nothing,
  judged: nothing,
  exempted: nothing,
  failed: nothing,
  plugin: () => nothing,
  phase: () => nothing,
}

/** Classifies an error by its text, for metrics. */
export function expressionError(message: string): ExpressionError {
  if (message.startsWith('compilation')) return 'compile_error'
  return message.startsWith('validation failed due to running out of cost budget') ? 'out_of_budget' : 'invalid_error'
}
