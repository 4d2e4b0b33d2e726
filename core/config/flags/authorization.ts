import { choice, duration, string, strings } from '../flag-types.ts'

/** In the order in which the reference server lists them. */
export const authorizationModes = ['AlwaysAllow', 'AlwaysDeny', 'ABAC', 'Webhook', 'RBAC', 'Node'] as const
export type AuthorizationMode = (typeof authorizationModes)[number]

function modesProblem(modes: readonly string[]): string | undefined {
  if (modes.length === 0) return 'must name at least one mode'
  return new Set(modes).size === modes.length ? undefined : 'has a mode more than once'
}

export const authorizationFlags = {
  'authorization-config': string({
    built: true,
    help: 'File of kind AuthorizationConfiguration. Not with --authorization-mode or --authorization-webhook-*.',
  }),
  'authorization-mode': strings({
    oneOf: authorizationModes,
    lastWins: true,
    default: ({ given }) => (given('authorization-config').length > 0 ? [] : ['AlwaysAllow']),
    built: true,
    check: modesProblem,
    help: `Authorizers to ask, in this order: ${authorizationModes.join(', ')}.`,
  }),
  'authorization-policy-file': string({ built: true, help: 'Policy of mode ABAC, one JSON object a line.' }),
  'authorization-webhook-config-file': string({ built: true, help: 'Connection file of mode Webhook.' }),
  'authorization-webhook-version': choice({
    oneOf: ['v1', 'v1beta1'],
    default: 'v1beta1',
    built: true,
    help: 'Version of the SubjectAccessReview that the webhook is sent.',
  }),
  'authorization-webhook-cache-authorized-ttl': duration({ built: true, default: 300_000, help: 'How long answers that allow are kept.' }),
  'authorization-webhook-cache-unauthorized-ttl': duration({ built: true, default: 30_000, help: 'How long other answers are kept.' }),
}
