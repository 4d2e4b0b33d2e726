import * as z from 'zod/mini'
import { formatDuration } from '../../../config/duration.ts'
import {
  list,
  mapped,
  optional,
  optionalBool,
  optionalDuration,
  optionalText,
  struct,
  text,
  typeMeta,
} from '../../../config/files/fields.ts'
import { type FileContext, fileKind } from '../../../config/files/kind.ts'
import { ourWords } from '../../../config/words.ts'
import type { FieldErrors } from '../../../schema/field-error.ts'
import { FieldPath } from '../../../schema/field-path.ts'
import { formats } from '../../../schema/formats/formats.ts'
import { compileMatchConditions } from '../match-conditions.ts'
import { authorizationModes } from '../modes.ts'

const webhook = mapped(
  z.strictObject({
    authorizedTTL: optionalDuration,
    cacheAuthorizedRequests: optionalBool,
    unauthorizedTTL: optionalDuration,
    cacheUnauthorizedRequests: optionalBool,
    timeout: optionalDuration,
    subjectAccessReviewVersion: text,
    matchConditionSubjectAccessReviewVersion: text,
    failurePolicy: text,
    connectionInfo: struct({ type: text, platformConfigFile: optionalText }),
    matchConditions: list(z.strictObject({ expression: text })),
  }),
  ({ authorizedTTL, cacheAuthorizedRequests, unauthorizedTTL, cacheUnauthorizedRequests, timeout, ...rest }) => ({
    ...rest,
    authorizedTTL: authorizedTTL || 300_000,
    cacheAuthorizedRequests: cacheAuthorizedRequests ?? true,
    unauthorizedTTL: unauthorizedTTL || 30_000,
    cacheUnauthorizedRequests: cacheUnauthorizedRequests ?? true,
    timeout: timeout ?? 0,
  }),
)

const schema = z.strictObject({
  ...typeMeta,
  authorizers: list(z.strictObject({ type: text, name: text, webhook: optional(webhook) })),
})

export type WebhookAuthorizer = z.output<typeof webhook>

const maxTimeout = 30_000
const maxConditions = 64

function oneOf(value: string, allowed: readonly string[], path: FieldPath, errors: FieldErrors): void {
  if (value === '') errors.required(path)
  else if (!allowed.includes(value)) errors.notSupported(path, value, allowed)
}

function validateConnection(
  { type, platformConfigFile: file }: WebhookAuthorizer['connectionInfo'],
  path: FieldPath,
  errors: FieldErrors,
  context: FileContext,
): void {
  const at = path.child('platformConfigFile')
  const word = ourWords(type, context.platform)
  if (word === 'PlatformConfigFile') {
    if (!file) errors.required(at)
    else if (!file.startsWith('/')) errors.invalid(at, file, 'must be an absolute path')
    return
  }
  oneOf(type, ['InClusterConfig', 'PlatformConfigFile'], path.child('type'), errors)
  if (type === 'InClusterConfig' && file !== undefined) errors.invalid(at, file, 'can only be set when type=PlatformConfigFile')
}

function validateConditions(conditions: WebhookAuthorizer['matchConditions'], path: FieldPath, errors: FieldErrors): void {
  if (conditions.length > maxConditions) {
    errors.tooMany(path, conditions.length, maxConditions)
    return
  }
  const at = (index: number) => path.index(index).child('expression')
  const seen = new Set<string>()
  const usable = new Map<number, string>()
  for (const [index, { expression }] of conditions.entries()) {
    if (expression.trim() === '') errors.required(at(index))
    else if (seen.has(expression)) errors.duplicate(at(index), expression)
    else usable.set(index, expression)
    seen.add(expression)
  }
  const places = [...usable.keys()]
  compileMatchConditions([...usable.values()], (which, message) => {
    const index = places[which] ?? 0
    errors.invalid(at(index), usable.get(index) ?? '', message)
  })
}

function validateWebhook(given: WebhookAuthorizer, path: FieldPath, errors: FieldErrors, context: FileContext): void {
  if (given.timeout === 0) errors.required(path.child('timeout'))
  else if (given.timeout < 0 || given.timeout > maxTimeout) {
    errors.invalid(path.child('timeout'), formatDuration(given.timeout), 'must be > 0s and <= 30s')
  }
  for (const name of ['authorizedTTL', 'unauthorizedTTL'] as const) {
    if (given[name] < 0) errors.invalid(path.child(name), formatDuration(given[name]), 'must be > 0s')
  }
  oneOf(given.subjectAccessReviewVersion, ['v1', 'v1beta1'], path.child('subjectAccessReviewVersion'), errors)
  const matchVersion = given.matchConditionSubjectAccessReviewVersion
  const matchPath = path.child('matchConditionSubjectAccessReviewVersion')
  if (matchVersion !== '') oneOf(matchVersion, ['v1'], matchPath, errors)
  else if (given.matchConditions.length > 0) errors.required(matchPath, 'required if match conditions are specified')
  oneOf(given.failurePolicy, ['NoOpinion', 'Deny'], path.child('failurePolicy'), errors)
  validateConnection(given.connectionInfo, path.child('connectionInfo'), errors, context)
  validateConditions(given.matchConditions, path.child('matchConditions'), errors)
}

function validateName(name: string, seen: Set<string>, path: FieldPath, errors: FieldErrors): void {
  const problems = formats.dns1123Subdomain(name)
  if (name === '') errors.required(path)
  else if (seen.has(name)) errors.duplicate(path, name)
  else if (problems.length > 0) errors.invalid(path, name, `authorizer name is invalid: ${problems.join(', ')}`)
  seen.add(name)
}

export const authorizationConfiguration = fileKind({
  kinds: [
    {
      kind: 'AuthorizationConfiguration',
      versions: ['v1', 'v1beta1', 'v1alpha1'].map((version) => `apiserver.config.<domain>/${version}`),
    },
  ],
  schema,
  aliased: ['platformConfigFile'],
  validate({ authorizers }, errors, context) {
    const root = FieldPath.of('authorizers')
    if (authorizers.length === 0) errors.required(root, 'at least one authorization mode must be defined')
    const [types, names] = [new Set<string>(), new Set<string>()]
    for (const [index, { type, name, webhook: hook }] of authorizers.entries()) {
      const path = root.index(index)
      const known: readonly string[] = [...authorizationModes].sort()
      const repeated = types.has(type) && type !== 'Webhook'
      types.add(type)
      if (type === '' || !known.includes(type)) oneOf(type, known, path.child('type'), errors)
      else if (repeated) errors.duplicate(path.child('type'), type)
      validateName(name, names, path.child('name'), errors)
      if (type === 'Webhook') {
        if (hook === undefined) errors.required(path.child('webhook'), 'required when type=Webhook')
        else validateWebhook(hook, path.child('webhook'), errors, context)
      } else if (hook !== undefined) errors.invalid(path.child('webhook'), 'non-null', 'may only be specified when type=Webhook')
    }
  },
})
