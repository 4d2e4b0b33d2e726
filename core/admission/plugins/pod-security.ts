/**
 * Pod Security admission: checks pods against the standard in their namespace's labels (plugin/pkg/admission/security/podsecurity,
 * pod-security-admission).
 */

import { forbidden, internalError, invalid, qualified } from '../../answers/status.ts'
import { once } from '../../common/once.ts'
import { uncounted } from '../../metrics.ts'
import { isReached } from '../../release.ts'
import type { ApiObject } from '../../resources/definition.ts'
import { equal } from '../../schema/json/equal.ts'
import type { AdmissionAttributes, AdmissionPlugin } from '../attributes.ts'
import type { PodSecurityConfiguration } from '../configuration.ts'
import type { PluginContext } from '../context.ts'
import { admissionRows } from '../metrics.ts'
import { specOf } from './about.ts'
import { createEvaluate, detailsOf } from './pod-security/controls.ts'
import { warningsFor } from './pod-security/existing-pods.ts'
import type { PodLike, PodSpec } from './pod-security/pod.ts'
import type { LevelVersion, Policy } from './pod-security/policy.ts'
import { areAlike, createPolicyReader, isPrivileged, isSame, isStricter, privileged, textOf } from './pod-security/policy.ts'
import { isSignificant } from './pod-security/significant.ts'

const noConfiguration: PodSecurityConfiguration = {
  defaults: privileged,
  exemptions: { usernames: [], namespaces: [], runtimeClasses: [] },
}

/** Paths of pod templates in workloads. */
const templates: { readonly [resource: string]: readonly string[] } = {
  podtemplates: ['template'],
  replicationcontrollers: ['spec', 'template'],
  'replicasets.apps': ['spec', 'template'],
  'deployments.apps': ['spec', 'template'],
  'statefulsets.apps': ['spec', 'template'],
  'daemonsets.apps': ['spec', 'template'],
  'jobs.batch': ['spec', 'template'],
  'cronjobs.batch': ['spec', 'jobTemplate', 'spec', 'template'],
}

/** Subresources of pods that change nothing relevant. Unknown ones are checked like pods. */
const harmless = ['exec', 'attach', 'binding', 'eviction', 'log', 'portforward', 'proxy', 'status']

const podOf = ({ metadata, spec }: Partial<ApiObject>): PodLike => ({
  annotations: metadata?.annotations ?? {},
  spec: (spec ?? {}) as PodSpec,
})

function templateOf(object: ApiObject, path: readonly string[]): PodLike | undefined {
  const found = path.reduce<unknown>((value, key) => (value as { [key: string]: unknown } | undefined | null)?.[key], object)
  return found ? podOf(found as Partial<ApiObject>) : undefined
}

const resources = ['namespaces', 'pods', ...Object.keys(templates)].map((name) => {
  const [resource = '', group = ''] = name.split('.')
  return { group, resource }
})

export function podSecurity(context: PluginContext): AdmissionPlugin {
  const { platform, find, list, clock, release, metrics = uncounted(admissionRows) } = context
  const { defaults, exemptions } = context.configuration.PodSecurity ?? noConfiguration
  const reader = once(() => createPolicyReader(platform))
  const evaluator = once(() => createEvaluate(platform.name, release))
  const annotation = (key: string) => platform.name(`pod-security.<labels>/${key}`)
  const isExempt = ({ spec: { runtimeClassName: name } }: PodLike) => !!name && exemptions.runtimeClasses.includes(name)

  /** Labels of a request. */
  const requestOf = ({ operation, groupResource, subresource }: AdmissionAttributes) =>
    [
      operation.toLowerCase(),
      groupResource.resource === 'pods' ? 'pod' : groupResource.resource === 'namespaces' ? 'namespace' : 'controller',
      subresource,
    ] as const
  /** Privileged is the same in every version. */
  const versionOf = ({ level, version }: LevelVersion) =>
    version === 'latest' || level === 'privileged' ? 'latest' : isReached(version, release) ? `v${version}` : 'future'
  const judged = (decision: 'allow' | 'deny', mode: 'enforce' | 'audit' | 'warn', by: LevelVersion, attributes: AdmissionAttributes) =>
    metrics.podEvaluations.add([decision, by.level, versionOf(by), mode, ...requestOf(attributes)])

  /** Name of the exemption, if the request has one. */
  function exemptionOf({ namespace, user }: AdmissionAttributes): string | undefined {
    if (exemptions.namespaces.includes(namespace)) return 'namespace'
    return user.name !== '' && exemptions.usernames.includes(user.name) ? 'user' : undefined
  }

  function judge(attributes: AdmissionAttributes, policy: Policy, pod: PodLike, enforce: boolean): void {
    const { groupResource, name } = attributes
    if (isExempt(pod)) {
      attributes.annotate(annotation('exempt'), 'runtimeClass')
      metrics.podExemptions.add(requestOf(attributes))
      return
    }
    const known = new Map<string, string>()
    const faults = (by: LevelVersion): string => {
      const text = textOf(by)
      const found = known.get(text) ?? detailsOf(evaluator()(by, pod))
      known.set(text, found)
      return found === '' ? '' : `violate PodSecurity "${text}": ${found}`
    }
    const [audited, warned, enforced] = [faults(policy.audit), faults(policy.warn), enforce ? faults(policy.enforce) : '']
    if (enforce) {
      attributes.annotate(annotation('enforce-policy'), textOf(policy.enforce))
      judged(enforced === '' ? 'allow' : 'deny', 'enforce', policy.enforce, attributes)
    }
    if (audited !== '') judged('deny', 'audit', policy.audit, attributes)
    if (warned !== '' && enforced === '') judged('deny', 'warn', policy.warn, attributes)
    if (audited !== '') attributes.annotate(annotation('audit-violations'), `would ${audited}`)
    if (enforced !== '') throw forbidden(groupResource, name, enforced.replace('violate', 'violates'))
    if (warned !== '') attributes.warn(`would ${warned}`)
  }

  async function judgeIn(attributes: AdmissionAttributes, pod: PodLike | undefined, enforce: boolean): Promise<void> {
    const { namespace: name, oldObject } = attributes
    const exemption = exemptionOf(attributes)
    if (exemption !== undefined) {
      metrics.podExemptions.add(requestOf(attributes))
      return attributes.annotate(annotation('exempt'), exemption)
    }
    const namespace = await find('', 'namespaces', '', name, attributes)
    if (namespace === undefined) {
      const why = `failed to lookup namespace ${JSON.stringify(name)}`
      attributes.annotate(annotation('error'), why)
      metrics.podErrors.add(['true', ...requestOf(attributes)])
      if (enforce) throw internalError(why)
      return
    }
    const { policy, errors } = reader().policyOf(namespace.metadata.labels, defaults)
    if (errors.count === 0 && isPrivileged(policy)) {
      if (enforce) {
        attributes.annotate(annotation('enforce-policy'), textOf(privileged.enforce))
        judged('allow', 'enforce', privileged.enforce, attributes)
      }
      return
    }
    if (pod === undefined || (enforce && oldObject !== undefined && !isSignificant(pod.spec, specOf<PodSpec>(oldObject)))) return
    if (errors.count > 0) {
      metrics.podErrors.add(['false', ...requestOf(attributes)])
      const text = errors.list.map(({ field, message }) => `${field}: ${message}`)
      attributes.annotate(annotation('error'), `Failed to parse policy: ${text.length > 1 ? `[${text.join(', ')}]` : text[0]}`)
    }
    judge(attributes, policy, pod, enforce)
  }

  /** Warns about labels that have no effect because of an exemption. */
  function warnOfExemption(attributes: AdmissionAttributes, name: string, labels: ApiObject['metadata']['labels'], policy: Policy): void {
    if (isPrivileged(policy) || areAlike(policy, defaults)) return
    const said = reader()
      .named(labels)
      .filter((mode) => policy[mode].level !== 'privileged')
    const texts = said.map((mode) => `${mode}=${textOf(policy[mode])}`).join(', ')
    attributes.warn(`namespace ${JSON.stringify(name)} is exempt from Pod Security, and the policy (${texts}) will be ignored`)
  }

  async function checkNamespace(attributes: AdmissionAttributes, { metadata }: ApiObject): Promise<void> {
    const { operation, oldObject } = attributes
    const { name = '', labels } = metadata
    const { policyOf } = reader()
    const { policy, errors } = policyOf(labels, defaults)
    const before = oldObject && policyOf(oldObject.metadata.labels, defaults)
    if (errors.count > 0 && !(before && before.errors.count > 0 && equal(asJson(errors.list), asJson(before.errors.list))))
      throw invalid({ group: '', kind: 'Namespace' }, attributes.name, errors.list)
    const exempt = exemptions.namespaces.includes(name)
    if (operation === 'CREATE' || before === undefined) {
      if (exempt) warnOfExemption(attributes, name, labels, policy)
      return
    }
    const [now, then] = [policy.enforce, before.policy.enforce]
    if (isSame(now, then) || now.level === 'privileged') return
    if (now.version === then.version && !isStricter(now.level, then.level)) return
    if (exempt) return warnOfExemption(attributes, name, labels, policy)
    const pods = (await list('', 'pods', name, attributes)).filter((pod) => !isExempt(podOf(pod)))
    for (const warning of warningsFor(name, pods, now, evaluator(), clock)) attributes.warn(warning)
  }

  return {
    name: 'PodSecurity',
    operations: ['CREATE', 'UPDATE'],
    resources,
    async validate(attributes) {
      const { groupResource, subresource, object } = attributes
      if (object === undefined) return
      const template = templates[qualified(groupResource)]
      if (template) {
        if (subresource === '') await judgeIn(attributes, templateOf(object, template), false)
      } else if (groupResource.resource === 'pods') {
        if (!harmless.includes(subresource)) await judgeIn(attributes, podOf(object), true)
      } else if (subresource === '') await checkNamespace(attributes, object)
    },
  }
}

const asJson = (list: readonly object[]) => list as unknown as Parameters<typeof equal>[0]
