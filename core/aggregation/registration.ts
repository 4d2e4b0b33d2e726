/** APIService objects: which server has a group version (pkg/apis/apiregistration of the aggregator). */
import type { ApiObject } from '../resources/definition.ts'

export interface ServiceReference {
  readonly namespace: string
  readonly name: string
  /** Default 443. */
  readonly port?: number
}

export interface RegistrationSpec {
  /** Absent: this server itself. */
  readonly service?: ServiceReference
  /** Absent: the core group. */
  readonly group?: string
  readonly version: string
  readonly insecureSkipTLSVerify?: boolean
  /** PEM in base64; absent or empty: the host's roots. */
  readonly caBundle?: string
  readonly groupPriorityMinimum: number
  readonly versionPriority: number
}

export interface Condition {
  readonly type: string
  readonly status: string
  readonly lastTransitionTime?: string
  readonly reason?: string
  readonly message?: string
}

/** An APIService object. */
export interface Registration extends ApiObject {
  readonly spec: RegistrationSpec
  readonly status?: { readonly conditions?: readonly Condition[] | null }
}

/** A registration of another server. */
export interface RemoteRegistration extends Registration {
  readonly spec: RegistrationSpec & { readonly service: ServiceReference; readonly group: string }
}

export const available = 'Available'

export const nameOf = ({ metadata }: ApiObject) => metadata.name ?? ''

export const conditionOf = ({ status }: Registration): Condition | undefined => status?.conditions?.find(({ type }) => type === available)

export const isAvailable = (registration: Registration) => conditionOf(registration)?.status === 'True'

/** `GROUP/VERSION`. */
export const groupVersionOf = ({ spec: { group = '', version } }: Registration) => `${group}/${version}`

/** Whether requests are passed on to a service. The core group, and that of the registrations, are this server's own. */
export const isRemote = (registration: Registration, ownGroup: string): registration is RemoteRegistration =>
  registration.spec.service !== undefined && ![undefined, '', ownGroup].includes(registration.spec.group)
