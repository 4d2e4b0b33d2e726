/** Who may do what. */
import type { Authorizer } from '../access/authz/authorizer.ts'
import type { AuthorizationFiles } from '../access/authz/configured.ts'
import { authorizationModes } from '../access/authz/modes.ts'
import { type Conflicts, option, typesOf } from './option.ts'
import { callable, having, limited, list, milliseconds, oneOf, shape, text, words } from './types.ts'

function modesProblem(modes: readonly string[]): string | undefined {
  if (modes.length === 0) return 'must name at least one mode'
  return new Set(modes).size === modes.length ? undefined : 'has a mode more than once'
}

/** Versions of SubjectAccessReview. */
export const reviewVersions = ['v1', 'v1beta1'] as const

/** `authorizationFiles.webhook`. */
export const authorizationWebhook = {
  connection: option(text, { description: 'Path of the connection file (kubeconfig format) for mode Webhook.' }),
  version: option(oneOf(reviewVersions), {
    default: 'v1beta1',
    description: 'Version of SubjectAccessReview to send to the webhook.',
  }),
  authorizedTtl: option(milliseconds(), { default: 300_000, description: 'Time to cache positive responses of the webhook.' }),
  unauthorizedTtl: option(milliseconds(), { default: 30_000, description: 'Time to cache negative responses of the webhook.' }),
}

const webhook = shape(typesOf(authorizationWebhook), Object.keys(authorizationWebhook))

export const authorizationOptions = {
  authorizationModes: option(limited(words(authorizationModes), modesProblem), {
    default: ['AlwaysAllow'],
    description: `Ordered list of authorizers: ${authorizationModes.join(', ')}.`,
  }),
  authorizers: option<readonly Authorizer[]>(list(having({ name: text, authorize: callable, rulesFor: callable }, ['name', 'authorize'])), {
    default: [],
    description: "Additional authorizers, asked before those of the modes, about the server's own requests too.",
  }),
  authorizationFiles: option<AuthorizationFiles>(shape({ configuration: text, policy: text, webhook, clusterServer: text }), {
    default: {},
    description:
      'Files for modes ABAC and Webhook, or an AuthorizationConfiguration file that replaces the modes. Read through the port files.',
  }),
}

/** Modes with the file that each needs. */
const filesOfModes = [
  ['ABAC', 'policy'],
  ['Webhook', 'webhook'],
] as const

/** Modes without their file, and files without their mode, which would have no effect. A configuration file replaces the modes. */
export const authorizationConflicts: Conflicts<typeof authorizationOptions> = (
  { authorizationModes: modes, authorizationFiles: files },
  named,
) =>
  files.configuration !== undefined
    ? []
    : filesOfModes.flatMap(([mode, member]) => {
        const [isUsed, file] = [modes.includes(mode), `authorizationFiles.${member}`] as const
        if (isUsed === (files[member] !== undefined)) return []
        return isUsed
          ? { at: 'authorizationModes', message: `${mode} needs ${named(file)}` }
          : { at: file, message: `needs ${named('authorizationModes')}=${mode}` }
      })
