/** Names of the objects that a pod refers to, in its own namespace. */
import type { Container } from '../../resources/core/container.ts'
import type { Pod as PodSchema } from '../../resources/core/pod.ts'
import type { Infer } from '../../schema/model.ts'

interface Named {
  readonly name?: string
}

/** The part of core/v1 Pod with references. */
export type Pod = Infer<typeof PodSchema>

/** Volume sources with a `secretRef`. */
const withSecretRef = ['cephfs', 'cinder', 'flexVolume', 'iscsi', 'rbd', 'scaleIO', 'storageos'] as const

const containersOf = ({ spec }: Pod): readonly Infer<typeof Container>[] => [
  ...(spec?.containers ?? []),
  ...(spec?.initContainers ?? []),
  ...(spec?.ephemeralContainers ?? []),
]
const present = (names: Iterable<string | null | undefined>): string[] => [...names].filter((name) => !!name) as string[]

export function secretNames(pod: Pod): string[] {
  return present([
    ...(pod.spec?.imagePullSecrets ?? []).map(({ name }) => name),
    ...containersOf(pod).flatMap(({ envFrom, env }) => [
      ...(envFrom ?? []).map(({ secretRef }) => secretRef?.name),
      ...(env ?? []).map(({ valueFrom }) => valueFrom?.secretKeyRef?.name),
    ]),
    ...(pod.spec?.volumes ?? []).flatMap((volume) => [
      volume.secret?.secretName,
      volume.azureFile?.secretName,
      volume.csi?.nodePublishSecretRef?.name,
      ...(volume.projected?.sources ?? []).map(({ secret }) => secret?.name),
      ...withSecretRef.map((source) => (volume[source] as { secretRef?: Named | null } | null | undefined)?.secretRef?.name),
    ]),
  ])
}

export function configMapNames(pod: Pod): string[] {
  return present([
    ...containersOf(pod).flatMap(({ envFrom, env }) => [
      ...(envFrom ?? []).map(({ configMapRef }) => configMapRef?.name),
      ...(env ?? []).map(({ valueFrom }) => valueFrom?.configMapKeyRef?.name),
    ]),
    ...(pod.spec?.volumes ?? []).flatMap(({ configMap, projected }) => [
      configMap?.name,
      ...(projected?.sources ?? []).map((source) => source.configMap?.name),
    ]),
  ])
}

/** Persistent volume claims; the claim of an ephemeral volume is named after the pod and the volume. */
export function claimNames({ spec }: Pod, podName: string): string[] {
  return present(
    (spec?.volumes ?? []).map(({ name, persistentVolumeClaim, ephemeral }) =>
      persistentVolumeClaim ? persistentVolumeClaim.claimName : ephemeral ? `${podName}-${name}` : undefined,
    ),
  )
}

/** Resource claims that exist already: the status names those made from a template. */
export function resourceClaimNames({ spec, status }: Pod): string[] {
  const made = new Map((status?.resourceClaimStatuses ?? []).map(({ name, resourceClaimName }) => [name, resourceClaimName]))
  return present([
    ...(spec?.resourceClaims ?? []).map(({ name, resourceClaimName }) => resourceClaimName ?? made.get(name)),
    status?.extendedResourceClaimStatus?.resourceClaimName,
  ])
}
