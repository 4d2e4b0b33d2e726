/** Enforces LimitRanges on containers, pods and claims, and applies their defaults (plugin/pkg/admission/limitranger). */
import { aggregate } from '../../access/authz/rules.ts'
import { forbidden } from '../../answers/status.ts'
import type { ApiObject } from '../../resources/definition.ts'
import type { AdmissionAttributes, AdmissionPlugin } from '../attributes.ts'
import type { PluginContext } from '../context.ts'
import { isAbout, specOf } from './about.ts'
import { type Constrained, type Limit, problemsOf, usageOf } from './limit-ranger-rules.ts'
import type { Amounts, Container, PodSpec } from './pod-amounts.ts'

type Writable = { -readonly [K in keyof Container]: Container[K] }

const limitsOf = (range: ApiObject) => ((range['spec'] ?? {}) as { readonly limits?: readonly Limit[] }).limits ?? []

function merged(amounts: readonly (Amounts | undefined)[]): Amounts {
  const all = {}
  for (const each of amounts) Object.assign(all, each)
  return all
}

/** Defaults of a LimitRange; a later entry for a resource wins. */
function defaultsOf(limits: readonly Limit[]): { readonly limits: Amounts; readonly requests: Amounts } {
  const own = limits.filter(({ type }) => type === 'Container')
  return {
    limits: merged(own.map((each) => each.default)),
    requests: merged(own.map(({ defaultRequest }) => defaultRequest)),
  }
}

/** Applies defaults to a container; returns what was set, for the annotation. */
function fill(container: Writable, what: string, defaults: ReturnType<typeof defaultsOf>): string[] {
  const { resources } = container
  const missing = (of: 'requests' | 'limits') =>
    Object.keys(defaults[of])
      .filter((resource) => resources?.[of]?.[resource] === undefined)
      .sort()
  const [requests, limits] = [missing('requests'), missing('limits')]
  if (requests.length + limits.length === 0) return []
  container.resources = {
    ...resources,
    ...(limits.length > 0 && { limits: { ...defaults.limits, ...resources?.limits } }),
    ...(requests.length > 0 && { requests: { ...defaults.requests, ...resources?.requests } }),
  }
  const note = (names: readonly string[], of: string) =>
    names.length > 0 ? [`${names.join(', ')} ${of} for ${what} ${container.name}`] : []
  return [...note(requests, 'request'), ...note(limits, 'limit')]
}

function complete(pod: ApiObject, range: ApiObject, annotation: string): void {
  const { containers, initContainers } = specOf<PodSpec>(pod)
  const defaults = defaultsOf(limitsOf(range))
  const notes = [
    ...(containers ?? []).flatMap((each) => fill(each, 'container', defaults)),
    ...(initContainers ?? []).flatMap((each) => fill(each, 'init container', defaults)),
  ]
  if (notes.length > 0)
    pod.metadata.annotations = { ...pod.metadata.annotations, [annotation]: `LimitRanger plugin set: ${notes.join('; ')}` }
}

/** What a write has to limit; undefined: nothing. Objects under deletion are exempt. */
function concerns(attributes: AdmissionAttributes): Constrained | undefined {
  const { object, oldObject, operation } = attributes
  if (object === undefined || oldObject?.metadata.deletionTimestamp !== undefined) return undefined
  const isResize = operation === 'UPDATE' && isAbout(attributes, 'pods', '', 'resize')
  if (isResize || (operation === 'CREATE' && isAbout(attributes, 'pods'))) return { kind: 'pod', spec: specOf(object) }
  return isAbout(attributes, 'persistentvolumeclaims') ? { kind: 'claim', spec: specOf(object) } : undefined
}

export function limitRanger({ platform, list }: PluginContext): AdmissionPlugin {
  const annotation = platform.name('<labels>/limit-ranger')
  const rangesOf = (attributes: AdmissionAttributes) => list('', 'limitranges', attributes.namespace, attributes)
  return {
    name: 'LimitRanger',
    operations: ['CREATE', 'UPDATE'],
    resources: [
      { group: '', resource: 'pods' },
      { group: '', resource: 'persistentvolumeclaims' },
    ],
    async mutate(attributes) {
      const { object } = attributes
      if (object === undefined || concerns(attributes)?.kind !== 'pod') return
      for (const range of await rangesOf(attributes)) complete(object, range, annotation)
    },
    async validate(attributes) {
      const { groupResource, name } = attributes
      const constrained = concerns(attributes)
      if (constrained === undefined) return
      for (const range of await rangesOf(attributes)) {
        const problems = limitsOf(range).flatMap((limit) => usageOf(constrained, limit).flatMap((usage) => problemsOf(limit, usage)))
        if (problems.length > 0) throw forbidden(groupResource, name, aggregate(problems))
      }
    },
  }
}
