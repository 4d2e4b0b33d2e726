/** Restricts pods to the secrets that their service account lists (annotation `enforce-mountable-secrets`). */
import type { ApiObject } from '../../resources/definition.ts'

interface Named {
  readonly name?: string
}

export interface ServiceAccount extends ApiObject {
  readonly automountServiceAccountToken?: boolean
  readonly imagePullSecrets?: readonly Named[] | null
  readonly secrets?: readonly Named[] | null
}

export interface AccountContainer {
  readonly name: string
  readonly env?: readonly { readonly name: string; readonly valueFrom?: { readonly secretKeyRef?: Named | null } | null }[] | null
  readonly envFrom?: readonly { readonly secretRef?: Named | null }[] | null
  volumeMounts?: { readonly name: string; readonly mountPath: string; readonly readOnly?: boolean }[] | null
}

interface AccountVolume {
  readonly name: string
  readonly secret?: { readonly secretName?: string } | null
  readonly projected?: { readonly sources?: readonly { readonly [source: string]: object }[] | null } | null
}

/** The part of core/v1 PodSpec that concerns service accounts. */
export interface AccountPodSpec {
  serviceAccountName?: string
  readonly automountServiceAccountToken?: boolean
  imagePullSecrets?: Named[] | null
  volumes?: AccountVolume[] | null
  readonly containers?: readonly AccountContainer[] | null
  readonly initContainers?: readonly AccountContainer[] | null
  readonly ephemeralContainers?: readonly AccountContainer[] | null
}

const namesOf = (list: readonly Named[] | null | undefined) => new Set((list ?? []).map(({ name = '' }) => name))

/** Error for the first secret that is not listed; undefined: none. */
export function foreignSecret(account: ServiceAccount, spec: AccountPodSpec, ephemeralOnly: boolean): string | undefined {
  const listed = namesOf(account.secrets)
  const pullable = namesOf(account.imagePullSecrets)
  const { name = '' } = account.metadata
  const unlisted = (what: string, secret: string) =>
    listed.has(secret)
      ? []
      : [`${what} secret.secretName="${secret}" is not allowed because service account ${name} does not reference that secret`]
  const inContainers = (kind: string, containers: readonly AccountContainer[] | null | undefined) =>
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
