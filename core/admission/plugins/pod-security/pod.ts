/** What the controls look at in a pod, and how they name what breaks them. */

interface Typed {
  readonly type?: string
}

interface HostHandler {
  readonly httpGet?: { readonly host?: string } | null
  readonly tcpSocket?: { readonly host?: string } | null
}

/** The parts of a security context that pods and containers both have. */
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

/** A pod, or the template of one. */
export interface PodLike {
  readonly annotations: { readonly [key: string]: string }
  readonly spec: PodSpec
}

/** Why a pod is not allowed: in few words, and what of it exactly. */
export interface Violation {
  readonly reason: string
  readonly detail: string
}

/** Undefined: the pod keeps to it. */
export type Check = (pod: PodLike) => Violation | undefined

export interface Control {
  readonly id: string
  /** A control of baseline that is not asked where this one is. */
  readonly replaces?: string
  /** Oldest first; each counts until the next. */
  readonly revisions: readonly { readonly since: number; readonly check: Check }[]
}

/** Init containers, containers and ephemeral ones. */
export const containersOf = ({ initContainers, containers, ephemeralContainers }: PodSpec): readonly Container[] => [
  ...(initContainers ?? []),
  ...(containers ?? []),
  ...(ephemeralContainers ?? []),
]

/** Names of the containers that a test finds fault with. */
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
/** Each once, in order. */
export const sorted = (values: readonly string[]): readonly string[] => [...new Set(values)].sort()
