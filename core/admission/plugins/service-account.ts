/**
 * Sets the service account of pods (default: `default`), which must exist, and mounts its token into the containers
 * (plugin/pkg/admission/serviceaccount).
 */

import { type Pod, secretNames } from '../../access/authz/node-pod.ts'
import type { ApiObject } from '../../resources/definition.ts'
import { parseBool } from '../../schema/formats/bool.ts'
import type { AdmissionAttributes, AdmissionPlugin } from '../attributes.ts'
import type { PluginContext } from '../context.ts'
import { isAbout, refusal, specOf } from './about.ts'
import { misnamed } from './misnamed.ts'
import { type AccountPodSpec, foreignSecret, type ServiceAccount } from './service-account-secrets.ts'
import { mountToken } from './service-account-token.ts'

const defaultName = 'default'
/** Milliseconds to wait for the account `default`, which is created shortly after its namespace. */
const createdWithin = 1_000

const isMirror = (pod: ApiObject, annotation: string) => Object.hasOwn(pod.metadata.annotations ?? {}, annotation)

export function serviceAccount({ platform, find, findSoon }: PluginContext): AdmissionPlugin {
  const mirror = platform.name('<labels>/config.mirror')
  const enforced = platform.name('<labels>/enforce-mountable-secrets')

  async function accountOf(attributes: AdmissionAttributes, name: string): Promise<ServiceAccount> {
    const { namespace } = attributes
    const account = ['', 'serviceaccounts', namespace, name, attributes] as const
    const found = await (name === defaultName ? findSoon(createdWithin, ...account) : find(...account))
    if (found !== undefined) return found as ServiceAccount
    throw refusal(
      attributes,
      `error looking up service account ${namespace}/${name}: ${misnamed(name) ?? `serviceaccount ${JSON.stringify(name)} not found`}`,
    )
  }

  function checkMirror(attributes: AdmissionAttributes, pod: ApiObject): void {
    const { serviceAccountName, volumes } = specOf<AccountPodSpec>(pod)
    const refuse = (what: string) => refusal(attributes, `a mirror pod may not ${what}`)
    if (serviceAccountName) throw refuse('reference service accounts')
    if (secretNames(pod as Pod).length > 0) throw refuse('reference secrets')
    const tokens = (volumes ?? []).flatMap(({ projected }) => projected?.sources ?? []).some((source) => source.serviceAccountToken)
    if (tokens) throw refuse('use ServiceAccountToken volume projections')
  }

  /** Secrets that the account does not list, if it is so annotated. */
  function checkSecrets(attributes: AdmissionAttributes, account: ServiceAccount, spec: AccountPodSpec): void {
    if (parseBool(account.metadata.annotations?.[enforced] ?? '') !== true) return
    const problem = foreignSecret(account, spec, attributes.operation === 'UPDATE')
    if (problem !== undefined) throw refusal(attributes, problem)
  }

  return {
    name: 'ServiceAccount',
    operations: ['CREATE', 'UPDATE'],
    resources: [{ group: '', resource: 'pods' }],
    async mutate(attributes) {
      const { object: pod, operation } = attributes
      if (operation !== 'CREATE' || !isAbout(attributes, 'pods') || pod === undefined) return
      // Mirror pods are left as they are, and checked before other plugins see them.
      if (isMirror(pod, mirror)) return checkMirror(attributes, pod)
      const spec = specOf<AccountPodSpec>(pod)
      spec.serviceAccountName ||= defaultName
      const account = await accountOf(attributes, spec.serviceAccountName)
      if (spec.automountServiceAccountToken ?? account.automountServiceAccountToken ?? true) mountToken(spec, platform)
      const { imagePullSecrets } = account
      if ((spec.imagePullSecrets ?? []).length === 0 && imagePullSecrets && imagePullSecrets.length > 0)
        spec.imagePullSecrets = imagePullSecrets.map(({ name }) => ({ ...(name !== undefined && { name }) }))
      checkSecrets(attributes, account, spec)
    },
    async validate(attributes) {
      const { object: pod, operation } = attributes
      const ephemeral = operation === 'UPDATE'
      if (!isAbout(attributes, 'pods', '', ephemeral ? 'ephemeralcontainers' : '') || pod === undefined) return
      if (isMirror(pod, mirror)) {
        if (!ephemeral) checkMirror(attributes, pod)
        return
      }
      const spec = specOf<AccountPodSpec>(pod)
      if (!spec.serviceAccountName)
        throw refusal(attributes, `no service account specified for pod ${attributes.namespace}/${pod.metadata.name ?? ''}`)
      checkSecrets(attributes, await accountOf(attributes, spec.serviceAccountName), spec)
    },
  }
}
