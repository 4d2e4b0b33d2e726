import { authorizationModes } from '../../authz/modes.ts'
import { choice, duration, string, strings } from '../flag-types.ts'

function modesProblem(modes: readonly string[]): string | undefined {
  if (modes.length === 0) return 'must name at least one mode'
  return new Set(modes).size === modes.length ? undefined : 'has a mode more than once'
}

export const authorizationFlags = {
  'authorization-config': string({
    path: 'file',
    implemented: true,
    help: 'Path of the AuthorizationConfiguration file. Cannot be combined with --authorization-mode or --authorization-webhook-*.',
  }),
  'authorization-mode': strings({
    oneOf: authorizationModes,
    lastWins: true,
    default: ({ given }) => (given('authorization-config').length > 0 ? [] : ['AlwaysAllow']),
    implemented: true,
    check: modesProblem,
    help: `Ordered list of authorizers: ${authorizationModes.join(', ')}.`,
  }),
  'authorization-policy-file': string({
    path: 'file',
    implemented: true,
    help: 'Path of the policy file for mode ABAC, one JSON object per line.',
  }),
  'authorization-webhook-config-file': string({
    path: 'file',
    implemented: true,
    help: 'Path of the connection file (kubeconfig format) for mode Webhook.',
  }),
  'authorization-webhook-version': choice({
    oneOf: ['v1', 'v1beta1'],
    default: 'v1beta1',
    implemented: true,
    help: 'Version of SubjectAccessReview to send to the webhook.',
  }),
  'authorization-webhook-cache-authorized-ttl': duration({
    implemented: true,
    default: 300_000,
    help: 'Time to cache positive responses of the webhook.',
  }),
  'authorization-webhook-cache-unauthorized-ttl': duration({
    implemented: true,
    default: 30_000,
    help: 'Time to cache negative responses of the webhook.',
  }),
}
