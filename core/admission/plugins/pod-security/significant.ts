import type { Container, PodSpec } from './pod.ts'

const changed = (now: readonly Container[] | null | undefined, before: readonly Container[] | null | undefined) =>
  (now ?? []).length !== (before ?? []).length || (now ?? []).some(({ image }, index) => image !== before?.[index]?.image)

/** Whether a pod update changes anything relevant: images or ephemeral containers; other relevant fields are immutable. */
export function isSignificant(now: PodSpec, before: PodSpec): boolean {
  const known = new Map((before.ephemeralContainers ?? []).map(({ name, image }) => [name, image]))
  return (
    changed(now.containers, before.containers) ||
    changed(now.initContainers, before.initContainers) ||
    (now.ephemeralContainers ?? []).some(({ name, image }) => !known.has(name) || known.get(name) !== image)
  )
}
