import type { AuthorizationMode } from '../../access/authz/modes.ts'
import { authorizationOptions, authorizationWebhook, reviewVersions } from '../../options/authorization.ts'
import { choice, duration, string, strings } from '../flag-types.ts'
import { becomes, boundedBy, describedBy } from '../option-flag.ts'

export const authorizationFlags = {
  'authorization-config': string({
    path: 'file',
    help: 'Path of the AuthorizationConfiguration file. Cannot be combined with --authorization-mode or --authorization-webhook-*.',
  }),
  'authorization-mode': strings({
    ...boundedBy(authorizationOptions.authorizationModes),
    ...becomes('authorization', 'authorizationModes', (modes: readonly string[]) =>
      // Others have been refused.
      modes.length > 0 ? (modes as readonly AuthorizationMode[]) : undefined,
    ),
    lastWins: true,
    default: ({ given }) => (given('authorization-config').length > 0 ? [] : ['AlwaysAllow']),
    help: authorizationOptions.authorizationModes.description,
  }),
  'authorization-policy-file': string({
    path: 'file',
    help: 'Path of the policy file for mode ABAC, one JSON object per line.',
  }),
  'authorization-webhook-config-file': string({ ...describedBy(authorizationWebhook.connection), path: 'file' }),
  'authorization-webhook-version': choice({ ...describedBy(authorizationWebhook.version), oneOf: reviewVersions }),
  'authorization-webhook-cache-authorized-ttl': duration({
    ...describedBy(authorizationWebhook.authorizedTtl),
    ...boundedBy(authorizationWebhook.authorizedTtl),
  }),
  'authorization-webhook-cache-unauthorized-ttl': duration({
    ...describedBy(authorizationWebhook.unauthorizedTtl),
    ...boundedBy(authorizationWebhook.unauthorizedTtl),
  }),
}
