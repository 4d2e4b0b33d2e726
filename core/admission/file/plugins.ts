/** Configuration kinds of admission plugins: versions, fields and validation. */
import * as z from 'zod/mini'
import { bool, list, mapped, optional, optionalInt32, optionalText, struct, text, typeMeta } from '../../config/files/fields.ts'
import { converted, type FileContext, type FileKind, fileKind } from '../../config/files/kind.ts'
import { validateTolerations } from '../../resources/core/scheduling-validation.ts'
import type { FieldErrors } from '../../schema/field-error.ts'
import { FieldPath } from '../../schema/field-path.ts'
import { formats } from '../../schema/formats/formats.ts'
import { messageOf } from '../../schema/message-of.ts'
import type {
  EventRateLimitConfiguration,
  PodNodeSelectorConfiguration,
  PodSecurityConfiguration,
  PodTolerationRestrictionConfiguration,
  ResourceQuotaConfiguration,
} from '../configuration.ts'
import { parseNodeSelector } from '../plugins/pod-node-selector.ts'
import { levelProblem, modes, type Policy, parseLevel, parseVersion, versionProblem } from '../plugins/pod-security/policy.ts'
import type { Toleration } from '../plugins/tolerations.ts'

const level = mapped(text, (value) => value || 'privileged')
const version = mapped(text, (value) => value || 'latest')

const podSecurity = z.strictObject({
  ...typeMeta,
  defaults: struct({
    enforce: level,
    'enforce-version': version,
    audit: level,
    'audit-version': version,
    warn: level,
    'warn-version': version,
  }),
  exemptions: struct({ usernames: list(text), namespaces: list(text), runtimeClasses: list(text) }),
})

const nameRules = { usernames: undefined, namespaces: formats.dns1123Label, runtimeClasses: formats.dns1123Subdomain }

function validateNames(field: keyof typeof nameRules, names: readonly string[], errors: FieldErrors): void {
  const seen = new Set<string>()
  for (const [index, name] of names.entries()) {
    const path = FieldPath.of('exemptions', field).index(index)
    const problems = nameRules[field]?.(name) ?? (name === '' ? ['username must not be empty'] : [])
    if (problems.length > 0) errors.invalid(path, name, problems.join(', '))
    else if (seen.has(name)) errors.duplicate(path, name)
    seen.add(name)
  }
}

const podSecurityFile = fileKind({
  kinds: [
    {
      kind: 'PodSecurityConfiguration',
      versions: ['v1', 'v1beta1', 'v1alpha1'].map((each) => `pod-security.admission.config.<domain>/${each}`),
    },
  ],
  schema: podSecurity,
  validate({ defaults, exemptions }, errors) {
    for (const mode of modes) {
      const path = FieldPath.of('defaults')
      if (parseLevel(defaults[mode]) === undefined) errors.invalid(path.child(mode), defaults[mode], levelProblem)
      const given = defaults[`${mode}-version`]
      if (parseVersion(given) === undefined) errors.invalid(path.child(`${mode}-version`), given, versionProblem)
    }
    for (const field of ['usernames', 'namespaces', 'runtimeClasses'] as const) validateNames(field, exemptions[field], errors)
  },
})

function podSecurityOf({ defaults, exemptions }: z.output<typeof podSecurity>): PodSecurityConfiguration {
  const policy = modes.map((mode) => [
    mode,
    { level: parseLevel(defaults[mode]) ?? 'privileged', version: parseVersion(defaults[`${mode}-version`]) ?? 'latest' },
  ])
  return { defaults: Object.fromEntries(policy) as Policy, exemptions }
}

const quota = z.strictObject({
  ...typeMeta,
  limitedResources: list(
    z.strictObject({
      apiGroup: text,
      resource: text,
      matchContains: list(text),
      matchScopes: list(z.strictObject({ scopeName: text, operator: text, values: list(text) })),
    }),
  ),
})

const quotaFile = fileKind({
  kinds: [
    { kind: 'ResourceQuotaConfiguration', versions: ['apiserver.config.<domain>/v1'] },
    { kind: 'Configuration', versions: ['v1beta1', 'v1alpha1'].map((each) => `resourcequota.admission.<domain>/${each}`) },
  ],
  schema: quota,
  validate({ limitedResources }, errors) {
    for (const [index, { resource }] of limitedResources.entries())
      if (resource === '') errors.required(FieldPath.of('limitedResources').index(index).child('resource'))
  },
})

const limitTypes = ['Server', 'Namespace', 'User', 'SourceAndObject'] as const
const int = mapped(optionalInt32, (value) => value ?? 0)
const eventRate = z.strictObject({ ...typeMeta, limits: list(z.strictObject({ type: text, qps: int, burst: int, cacheSize: int })) })

const eventRateFile = fileKind({
  kinds: [{ kind: 'Configuration', versions: ['eventratelimit.admission.<domain>/v1alpha1'] }],
  schema: eventRate,
  validate({ limits }, errors) {
    const root = FieldPath.of('limits')
    if (limits.length === 0) errors.invalid(root, [], 'must not be empty')
    for (const [index, { type, qps, burst, cacheSize }] of limits.entries()) {
      const path = root.index(index)
      if (!limitTypes.some((each) => each === type)) errors.notSupported(path.child('type'), type, [...limitTypes].sort())
      if (burst <= 0) errors.invalid(path.child('burst'), burst, 'must be positive')
      if (qps <= 0) errors.invalid(path.child('qps'), qps, 'must be positive')
      if (type !== 'Server' && cacheSize < 0) errors.invalid(path.child('cacheSize'), cacheSize, 'must not be negative')
    }
  },
})

const toleration = z.strictObject({
  key: optionalText,
  operator: optionalText,
  value: optionalText,
  effect: optionalText,
  tolerationSeconds: optional(z.int()),
})
const tolerations = z.strictObject({ ...typeMeta, default: list(toleration), whitelist: list(toleration) })

const tolerationsFile = fileKind({
  kinds: [{ kind: 'Configuration', versions: ['podtolerationrestriction.admission.<domain>/v1alpha1'] }],
  schema: tolerations,
  validate(file, errors, { platform, gates }) {
    const context = { platform, now: 0, settings: { allowPrivileged: false, garbageCollection: false, enabled: gates.enabled } }
    for (const field of ['default', 'whitelist'] as const) validateTolerations(file[field], FieldPath.of(field), errors, context)
  },
})

const defined = (each: z.output<typeof toleration>): Toleration =>
  Object.fromEntries(Object.entries(each).filter(([, value]) => value !== undefined))

const selectors = z.strictObject({
  podNodeSelectorPluginConfig: mapped(z.nullish(z.record(z.string(), text)), (value) => value ?? {}),
})

const selectorsFile = fileKind({
  kinds: [],
  schema: selectors,
  validate({ podNodeSelectorPluginConfig: given }, errors) {
    for (const [namespace, selector] of Object.entries(given)) {
      try {
        parseNodeSelector(selector)
      } catch (error) {
        errors.invalid(FieldPath.of('podNodeSelectorPluginConfig').key(namespace), selector, messageOf(error))
      }
    }
  },
})

const imagePolicy = z.strictObject({
  imagePolicy: struct({ platformConfigFile: text, allowTTL: int, denyTTL: int, retryBackoff: int, defaultAllow: bool }),
})

/** Multiples of the unit; 0 is the default and -1 means none. Milliseconds. */
const times = {
  allowTTL: { unit: 1_000, min: 1_000, max: 1_800_000, byDefault: 300_000 },
  denyTTL: { unit: 1_000, min: 1_000, max: 1_800_000, byDefault: 30_000 },
  retryBackoff: { unit: 1, min: 1, max: 300_000, byDefault: 500 },
} as const

const timeOf = (name: keyof typeof times, value: number) =>
  value === -1 ? 0 : value === 0 ? times[name].byDefault : value * times[name].unit

const imagePolicyFile = fileKind({
  kinds: [],
  schema: imagePolicy,
  aliased: ['platformConfigFile'],
  validate({ imagePolicy: given }, errors) {
    const root = FieldPath.of('imagePolicy')
    if (given.platformConfigFile === '') errors.required(root.child('platformConfigFile'))
    for (const name of ['allowTTL', 'denyTTL', 'retryBackoff'] as const) {
      const { unit, min, max } = times[name]
      const milliseconds = given[name] * unit
      if (given[name] !== -1 && given[name] !== 0 && (milliseconds < min || milliseconds > max))
        errors.invalid(root.child(name), given[name], `must be between ${min / unit} and ${max / unit}, 0 for the default, or -1 for none`)
    }
  },
})

/** KEP-5793. */
function validateFolder(folder: string, errors: FieldErrors, { gates }: FileContext): void {
  const path = FieldPath.of('staticManifestsDir')
  if (folder === '') return
  if (!gates.enabled('ManifestBasedAdmissionControlConfig'))
    errors.forbidden(path, 'staticManifestsDir requires the ManifestBasedAdmissionControlConfig feature gate to be enabled')
  else if (!folder.startsWith('/')) errors.invalid(path, folder, 'must be an absolute file path')
}

/** Policies have no other settings. */
const policyFile = (kind: string) =>
  fileKind({
    kinds: [{ kind, versions: ['apiserver.config.<domain>/v1'] }],
    schema: z.strictObject({ ...typeMeta, staticManifestsDir: text }),
    validate: ({ staticManifestsDir }, errors, context) => validateFolder(staticManifestsDir, errors, context),
  })

const webhook = z.strictObject({ ...typeMeta, platformConfigFile: text, staticManifestsDir: text })
const webhookFile = fileKind({
  kinds: [
    { kind: 'WebhookAdmissionConfiguration', versions: ['apiserver.config.<domain>/v1'] },
    { kind: 'WebhookAdmission', versions: ['apiserver.config.<domain>/v1alpha1'] },
  ],
  schema: webhook,
  aliased: ['platformConfigFile'],
  validate({ platformConfigFile: path, staticManifestsDir }, errors, context) {
    validateFolder(staticManifestsDir, errors, context)
    if (path !== '' && !path.startsWith('/')) errors.invalid(FieldPath.of('platformConfigFile'), path, 'must be an absolute file path')
  },
})

const limitsOf = ({ limits }: z.output<typeof eventRate>) => ({ limits }) as EventRateLimitConfiguration

/** Paths of the file with credentials, and of the folder of manifests; empty: none. */
const webhookKind = converted(webhookFile, ({ platformConfigFile, staticManifestsDir }) => ({
  credentialsFile: platformConfigFile,
  manifestsFolder: staticManifestsDir,
}))
const policyKind = (kind: string) => converted(policyFile(kind), ({ staticManifestsDir }) => ({ manifestsFolder: staticManifestsDir }))

/** By plugin. */
export const pluginKinds = {
  PodSecurity: converted(podSecurityFile, podSecurityOf),
  ResourceQuota: converted(quotaFile, ({ limitedResources }): ResourceQuotaConfiguration => ({ limitedResources })),
  EventRateLimit: converted(eventRateFile, limitsOf),
  PodTolerationRestriction: converted(
    tolerationsFile,
    (file): PodTolerationRestrictionConfiguration => ({
      defaults: file.default.map(defined),
      whitelist: file.whitelist.map(defined),
    }),
  ),
  PodNodeSelector: converted(
    selectorsFile,
    ({ podNodeSelectorPluginConfig: given }): PodNodeSelectorConfiguration => ({
      selectors: Object.fromEntries(Object.entries(given).map(([name, each]) => [name, parseNodeSelector(each)])),
    }),
  ),
  ImagePolicyWebhook: converted(
    imagePolicyFile,
    ({ imagePolicy: { platformConfigFile: connectionFile, allowTTL, denyTTL, retryBackoff, defaultAllow } }) => ({
      connectionFile,
      allowTtl: timeOf('allowTTL', allowTTL),
      denyTtl: timeOf('denyTTL', denyTTL),
      retryBackoff: timeOf('retryBackoff', retryBackoff),
      defaultAllow,
    }),
  ),
  MutatingAdmissionWebhook: webhookKind,
  ValidatingAdmissionWebhook: webhookKind,
  MutatingAdmissionPolicy: policyKind('MutatingAdmissionPolicyConfiguration'),
  ValidatingAdmissionPolicy: policyKind('ValidatingAdmissionPolicyConfiguration'),
} satisfies { readonly [plugin: string]: FileKind<unknown> }
