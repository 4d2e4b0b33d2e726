/** Options of servers that authorize and authenticate by functions of the test. */
import type { OptionType, RowsOf } from '../../core/options/types.ts'
import { callable, list, object, oneOf, record, shape, simple, text, within } from '../../core/options/types.ts'
import type { Files } from '../../core/ports.ts'
import type { ServerOptions } from '../../core/server.ts'
import { type Answer, authorizationAnswer, tokenAnswer, urlOf } from './webhook-answers.ts'
import type { IdentityWebhooks, MutatingWebhook, WebhookFunctions, WebhookRule } from './webhook-types.ts'

/** The option `webhooks` of startTestServer. */
export const identityRows = { webhooks: shape({ authorization: callable, token: callable } satisfies RowsOf<IdentityWebhooks>) }

const rule = shape(
  {
    resources: list(text),
    operations: list(text),
    apiGroups: list(text),
    apiVersions: list(text),
    scope: text,
  } satisfies RowsOf<WebhookRule>,
  ['resources'],
)
const mutatingRows = {
  rules: list(rule),
  handle: callable,
  failurePolicy: oneOf(['Fail', 'Ignore']),
  matchPolicy: oneOf(['Equivalent', 'Exact']),
  namespaceSelector: object,
  objectSelector: object,
  matchConditions: list(shape({ name: text, expression: text }, ['name', 'expression'])),
  sideEffects: oneOf(['None', 'NoneOnDryRun']),
  timeoutSeconds: within({ min: 1, max: 30 }),
  reinvocationPolicy: oneOf(['Never', 'IfNeeded']),
} satisfies RowsOf<MutatingWebhook>
const { reinvocationPolicy: _, ...validatingRows } = mutatingRows

/** A function alone, or a webhook with these rows. */
const orFunction =
  (webhook: OptionType): OptionType =>
  (value, platform) =>
    typeof value === 'function' ? [] : webhook(value, platform)

/** The functions that are given to `webhooks`. */
export const functionRows = {
  validating: record(orFunction(shape(validatingRows, ['rules', 'handle']))),
  mutating: record(orFunction(shape(mutatingRows, ['rules', 'handle']))),
  conversion: record(callable),
  manifests: simple('a text or a list of objects', (value) => typeof value === 'string' || Array.isArray(value)),
} satisfies RowsOf<WebhookFunctions>

const connectionFile = '/webhooks/authorization.json'

const connection = {
  apiVersion: 'v1',
  kind: 'Config',
  'current-context': 'test',
  contexts: [{ name: 'test', context: { cluster: 'test', user: '' } }],
  clusters: [{ name: 'test', cluster: { server: urlOf('authorization') } }],
}

/** The connection file of the authorization webhook, and no other files. */
export const webhookFiles: Files = {
  async read(path) {
    if (path !== connectionFile) throw new Error(`${path}: a test server has no files`)
    return new TextEncoder().encode(JSON.stringify(connection))
  },
  watch: () => () => {},
}

/** Completes the options of a server for its functions. The defaults of the daemon's flags hold for caches. */
export function withIdentityWebhooks<T extends ServerOptions>(options: T, { authorization, token }: IdentityWebhooks): T {
  const { authorizationModes = ['Webhook'] } = options
  const webhook = { connection: connectionFile, version: 'v1', authorizedTtl: 300_000, unauthorizedTtl: 30_000 } as const
  return {
    ...options,
    ...(authorization && { authorizationModes, authorizationFiles: { ...options.authorizationFiles, webhook } }),
    ...(token && { tokenWebhook: { connection: { url: urlOf('token'), options: {} }, version: 'v1' } }),
  }
}

/** The functions by the URLs that a server calls. */
export function identityAnswers({ authorization, token }: IdentityWebhooks): [url: string, answer: Answer][] {
  return [
    ...(authorization ? [[urlOf('authorization'), authorizationAnswer(authorization)] as [string, Answer]] : []),
    ...(token ? [[urlOf('token'), tokenAnswer(token)] as [string, Answer]] : []),
  ]
}
