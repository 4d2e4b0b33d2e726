/** The parts of a pod that controls evaluate, and helpers for messages. */
import type { Release } from '../../../release.ts'

interface Typed {
  readonly type?: string
}

interface HostHandler {
  readonly httpGet?: { readonly host?: string } | null
  readonly tcpSocket?: { readonly host?: string } | null
}

/** Fields of both pod and container security contexts. */
export interface CommonContext {
  readonly appArmorProfile?: Typed | null
  readonly seccompProfile?: Typed | null
  readonly seLinuxOptions?: { readonly type?: string; readonly user?: string; readonly role?: string } | null
  readonly windowsOptions?: { readonly hostProcess?: boolean | null } | null
  readonly runAsNonRoot?: boolean | null
  readonly runAsUser?: number | null
}

export interface ContainerContext extends CommonContext {
  readonly privileged?: boolean | null
  readonly allowPrivilegeEscalation?: boolean | null
  readonly procMount?: string | null
  readonly capabilities?: { readonly add?: readonly string[] | null; readonly drop?: readonly string[] | null } | null
}

export interface Container {
  readonly name: string
  readonly image?: string
  readonly ports?: readonly { readonly hostPort?: number }[] | null
  readonly securityContext?: ContainerContext | null
  readonly livenessProbe?: HostHandler | null
  readonly readinessProbe?: HostHandler | null
  readonly startupProbe?: HostHandler | null
  readonly lifecycle?: { readonly postStart?: HostHandler | null; readonly preStop?: HostHandler | null } | null
}

export interface PodSpec {
  readonly containers?: readonly Container[] | null
  readonly initContainers?: readonly Container[] | null
  readonly ephemeralContainers?: readonly Container[] | null
  readonly volumes?: readonly ({ readonly name: string } & { readonly [source: string]: unknown })[] | null
  readonly securityContext?: (CommonContext & { readonly sysctls?: readonly { readonly name: string }[] | null }) | null
  readonly hostNetwork?: boolean
  readonly hostPID?: boolean
  readonly hostIPC?: boolean
  readonly hostUsers?: boolean | null
  readonly runtimeClassName?: string | null
  readonly os?: { readonly name?: string } | null
}

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
