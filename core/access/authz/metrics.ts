import { reloadRows } from '../../config/reload-metrics.ts'
import { counter, doubling, histogram, type Recorded } from '../../metrics.ts'
import type { Authorizer, Decision } from './authorizer.ts'

const matcher = ['type', 'name'] as const
const call = ['name', 'result'] as const

/** Whole decisions on requests. */
export const decisionRows = {
  attempts: counter('authorization_attempts_total', 'Decisions on requests, by result.', { labels: ['result'] }),
  durations: histogram('authorization_duration_seconds', 'Duration of decisions on requests, in seconds.', {
    labels: ['result'],
    buckets: doubling(0.001, 15),
  }),
}

export const authorizationRows = {
  decisions: counter('apiserver_authorization_decisions_total', 'Requests that an authorizer allowed or denied.', {
    labels: ['type', 'name', 'decision'],
  }),
  calls: counter('apiserver_authorization_webhook_evaluations_total', 'Round-trips to authorization webhooks.', { labels: call }),
  durations: histogram(
    'apiserver_authorization_webhook_duration_seconds',
    'Duration of a round-trip to an authorization webhook, in seconds.',
    { labels: call, buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] },
  ),
  graph: histogram(
    'node_authorizer_graph_actions_duration_seconds',
    'Duration of changes of the graph from nodes to what they may read, in seconds.',
    { labels: ['operation'], buckets: doubling(0.0001, 12) },
  ),
  failedOpen: counter(
    'apiserver_authorization_webhook_evaluations_fail_open_total',
    'Requests that a failed authorization webhook left to other authorizers.',
    { labels: call },
  ),
  evaluations: histogram(
    'apiserver_authorization_match_condition_evaluation_seconds',
    'Duration of match condition evaluations of an authorization webhook, in seconds.',
    { labels: matcher, buckets: [0.001, 0.005, 0.01, 0.025, 0.1, 0.2, 0.25] },
  ),
  errors: counter(
    'apiserver_authorization_match_condition_evaluation_errors_total',
    'Requests for which match conditions of an authorization webhook could not be evaluated.',
    { labels: matcher },
  ),
  exclusions: counter(
    'apiserver_authorization_match_condition_exclusions_total',
    'Requests excluded from an authorization webhook by its match conditions.',
    { labels: matcher },
  ),
}

export type AuthorizationMetrics = Recorded<typeof authorizationRows>

export const authorizationFileRows = reloadRows('authorization', 'BETA')

/** Counts the requests that an authorizer of this type allows or denies; "no opinion" is not counted. */
export function counted(
  type: string,
  name: string,
  authorizer: Authorizer,
  { decisions }: Pick<AuthorizationMetrics, 'decisions'>,
): Authorizer {
  const count = { allow: decisions.in([type, name, 'allowed']), deny: decisions.in([type, name, 'denied']) }
  const report = (decision: Decision): Decision => {
    if (decision.verdict !== 'no-opinion') count[decision.verdict]()
    return decision
  }
  return {
    ...authorizer,
    authorize(attributes, context) {
      const decision = authorizer.authorize(attributes, context)
      return decision instanceof Promise ? decision.then(report) : report(decision)
    },
  }
}
