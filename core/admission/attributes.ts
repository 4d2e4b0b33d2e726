import type { User } from '../request/exchange.ts'
import type { ApiObject } from '../resources/definition.ts'
import type { GroupResource } from '../respond/status.ts'

export type AdmissionOperation = 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT'

/** What admission is asked about (apiserver/pkg/admission.Attributes). */
export interface AdmissionAttributes {
  readonly operation: AdmissionOperation
  readonly on: GroupResource
  readonly kind: { readonly group: string; readonly version: string; readonly kind: string }
  readonly namespaced: boolean
  readonly subresource: string
  readonly namespace: string
  readonly name: string
  /** The new object; mutating plugins change it in place. Absent for a delete. */
  readonly object: ApiObject | undefined
  readonly oldObject: ApiObject | undefined
  readonly user: User
  readonly dryRun: boolean
  warn(text: string): void
  annotate(key: string, value: string): void
}

/** One plugin; either phase may be missing. Throws an ApiError to refuse. */
export interface AdmissionPlugin {
  readonly name: string
  readonly operations: readonly AdmissionOperation[]
  /** Absent: all. Subresources are the plugin's own concern. */
  readonly resources?: readonly GroupResource[]
  mutate?(attributes: AdmissionAttributes): Promise<void> | void
  validate?(attributes: AdmissionAttributes): Promise<void> | void
}
