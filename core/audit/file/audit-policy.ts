/** The audit policy (apiserver, pkg/apis/audit/validation). */
import * as z from 'zod/mini'
import { bool, list, optionalBool, text, typeMeta } from '../../config/files/fields.ts'
import { fileKind } from '../../config/files/kind.ts'
import type { FieldErrors } from '../../schema/field-error.ts'
import { FieldPath } from '../../schema/field-path.ts'
import { formats } from '../../schema/formats/formats.ts'
import { levels, stages } from '../policy.ts'

const texts = list(z.string())

/** Unknown fields are dropped: the reference accepts them, with a warning. */
const schema = z.object({
  ...typeMeta,
  rules: list(
    z.object({
      level: text,
      users: texts,
      userGroups: texts,
      verbs: texts,
      // Group `*`: all. Resources: `pods`, `pods/log`, all subresources as `pods/*`, one of all resources (star, slash, name), or `*`.
      resources: list(z.object({ group: text, resources: texts, resourceNames: texts })),
      namespaces: texts,
      nonResourceURLs: texts,
      omitStages: texts,
      omitManagedFields: optionalBool,
    }),
  ),
  omitStages: texts,
  omitManagedFields: bool,
})

export type AuditPolicy = z.output<typeof schema>
type Rule = AuditPolicy['rules'][number]

const isOne = (words: readonly string[], word: string) => words.includes(word)

function validateStages(given: readonly string[], path: FieldPath, errors: FieldErrors): void {
  for (const [index, stage] of given.entries())
    if (!isOne(stages, stage)) errors.invalid(path.index(index), stage, `allowed stages are ${stages.join(',')}`)
}

function validateUrls(urls: readonly string[], path: FieldPath, errors: FieldErrors): void {
  for (const [index, url] of urls.entries()) {
    if (url === '*') continue
    if (!url.startsWith('/')) errors.invalid(path.index(index), url, "non-resource URL rules must begin with a '/' character")
    if (url.slice(0, -1).includes('*'))
      errors.invalid(path.index(index), url, "non-resource URL wildcards '*' must be the final character of the rule")
  }
}

function validateRule({ level, nonResourceURLs, resources, namespaces, omitStages }: Rule, path: FieldPath, errors: FieldErrors): void {
  if (level === '') errors.required(path.child('level'))
  else if (!isOne(levels, level)) errors.notSupported(path.child('level'), level, levels)
  validateUrls(nonResourceURLs, path.child('nonResourceURLs'), errors)
  const resourcesPath = path.child('resources')
  for (const { group, resources: names, resourceNames } of resources) {
    const problems = group === '' || group === '*' ? [] : formats.dns1123Subdomain(group)
    if (problems.length > 0) errors.invalid(resourcesPath.child('group'), group, problems.join(','))
    if (resourceNames.length > 0 && names.length === 0)
      errors.invalid(resourcesPath.child('resourceNames'), resourceNames, 'using resourceNames requires at least one resource')
  }
  validateStages(omitStages, path.child('omitStages'), errors)
  if (nonResourceURLs.length > 0 && (resources.length > 0 || namespaces.length > 0)) {
    const detail = 'rules cannot apply to both regular resources and non-resource URLs'
    errors.invalid(path.child('nonResourceURLs'), nonResourceURLs, detail)
  }
}

export const auditPolicy = fileKind({
  kinds: [{ kind: 'Policy', versions: ['audit.<domain>/v1'] }],
  schema,
  validate({ rules, omitStages }, errors) {
    validateStages(omitStages, FieldPath.of('omitStages'), errors)
    for (const [index, rule] of rules.entries()) validateRule(rule, FieldPath.of('rules').index(index), errors)
    if (rules.length === 0) errors.required(FieldPath.of('rules'), 'a policy needs at least one rule')
  },
})
