/** The parts of a pod that controls evaluate, and helpers for messages. */

import type { Release } from '../../../release.ts'
import type { Container as ContainerMessage } from '../../../resources/core/container.ts'
import type { PodSpec as PodSpecMessage } from '../../../resources/core/pod-spec.ts'
import type { PodSecurityContext, SecurityContext } from '../../../resources/core/security.ts'
import type { Infer } from '../../../schema/model.ts'

/** Fields of both pod and container security contexts. */
export type CommonContext = Pick<ContainerContext, keyof ContainerContext & keyof PodContext>

export type ContainerContext = Infer<typeof SecurityContext>
type PodContext = Infer<typeof PodSecurityContext>

export type Container = Infer<typeof ContainerMessage>

export type PodSpec = Infer<typeof PodSpecMessage>

/** A pod or pod template. */
export interface PodLike {
  readonly annotations: { readonly [key: string]: string }
  readonly spec: PodSpec
}

/** Reason and detail of a violation. */
export interface Violation {
  readonly reason: string
  readonly detail: string
}

/** Undefined: the pod conforms. */
export type Check = (pod: PodLike) => Violation | undefined

export interface Control {
  readonly id: string
  /** The baseline control that this control includes. */
  readonly replaces?: string
  /** Oldest first; each is valid until the next. */
  readonly revisions: readonly { readonly since: Release; readonly check: Check }[]
}

/** Init containers, containers and ephemeral containers. */
export const containersOf = ({ initContainers, containers, ephemeralContainers }: PodSpec): readonly Container[] => [
  ...(initContainers ?? []),
  ...(containers ?? []),
  ...(ephemeralContainers ?? []),
]

/** Names of the containers for which `isBad` is true. */
export const namesOf = (spec: PodSpec, isBad: (container: Container) => boolean): readonly string[] =>
  containersOf(spec)
    .filter(isBad)
    .map(({ name }) => name)

export const quoted = (names: readonly string[]) => names.map((name) => `"${name}"`).join(', ')
export const plural = (word: string, { length }: readonly unknown[], many = `${word}s`) => (length === 1 ? word : many)
/** `container "a"`, `containers "a", "b"` */
export const containers = (names: readonly string[]) => `${plural('container', names)} ${quoted(names)}`
/** `pod and container "a"` */
export const setters = (podToo: boolean, names: readonly string[]) =>
  [...(podToo ? ['pod'] : []), ...(names.length > 0 ? [containers(names)] : [])].join(' and ')
/** Sorted, without duplicates. */
export const sorted = (values: readonly string[]): readonly string[] => [...new Set(values)].sort()
