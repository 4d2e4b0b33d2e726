/** Restricts pods to the secrets that their service account lists (annotation `enforce-mountable-secrets`). */
import type { Container } from '../../resources/core/container.ts'
import type { PodSpec } from '../../resources/core/pod-spec.ts'
import type { LocalObjectReference } from '../../resources/core/references.ts'
import type { ServiceAccount as ServiceAccountMessage } from '../../resources/core/serviceaccount.ts'
import type { ApiObject } from '../../resources/definition.ts'
import type { Infer } from '../../schema/model.ts'

export type ServiceAccount = ApiObject &
  Pick<Infer<typeof ServiceAccountMessage>, 'automountServiceAccountToken' | 'imagePullSecrets' | 'secrets'>

export type AccountContainer = Pick<Infer<typeof Container>, 'name' | 'env' | 'envFrom'>

export type AccountPodSpec = Infer<typeof PodSpec>

const namesOf = (list: readonly Infer<typeof LocalObjectReference>[] | undefined) => new Set((list ?? []).map(({ name = '' }) => name))

/** Error for the first secret that is not listed; undefined: none. */
export function foreignSecret(account: ServiceAccount, spec: AccountPodSpec, ephemeralOnly: boolean): string | undefined {
  const listed = namesOf(account.secrets)
  const pullable = namesOf(account.imagePullSecrets)
  const { name = '' } = account.metadata
  const unlisted = (what: string, secret: string) =>
    listed.has(secret)
      ? []
      : [`${what} secret.secretName="${secret}" is not allowed because service account ${name} does not reference that secret`]
  const inContainers = (kind: string, containers: readonly AccountContainer[] | undefined) =>
    (containers ?? []).flatMap(({ name: container, env, envFrom }) => [
      ...(env ?? []).flatMap((variable) => {
        const secret = variable.valueFrom?.secretKeyRef
        return secret ? unlisted(`${kind} ${container} with envVar ${variable.name} referencing`, secret.name ?? '') : []
      }),
      ...(envFrom ?? []).flatMap(({ secretRef }) =>
        secretRef ? unlisted(`${kind} ${container} with envFrom referencing`, secretRef.name ?? '') : [],
      ),
    ])
  if (ephemeralOnly) return inContainers('ephemeral container', spec.ephemeralContainers)[0]
  const [first] = [
    ...(spec.volumes ?? []).flatMap(({ secret }) => (secret ? unlisted('volume with', secret.secretName ?? '') : [])),
    ...inContainers('init container', spec.initContainers),
    ...inContainers('container', spec.containers),
    ...(spec.imagePullSecrets ?? []).flatMap((secret, index) =>
      pullable.has(secret.name ?? '')
        ? []
        : [
            `imagePullSecrets[${index}].name="${secret.name ?? ''}" is not allowed because service account ${name} does not reference that imagePullSecret`,
          ],
    ),
  ]
  return first
}
