import type { Status } from '../../answers/status.ts'
import type { ApiObject } from '../../resources/definition.ts'
import type { Services, Target, Verb } from '../services.ts'
import type { SubresourceView } from '../views.ts'

/** A POST that is answered without storing the body: a review, a binding, a token request. */
export interface Action {
  /** Kind of the body when it is not the resource's own. */
  readonly body?: SubresourceView['body']
  /** The uid and the other metadata that servers set are the client's: its preconditions. Absent: they are dropped. */
  readonly keepsMetadata?: true
  /** Returns the response object for the decoded body. */
  perform(target: Target, object: ApiObject, dryRun: boolean): Promise<ApiObject | Status> | ApiObject | Status
}

/** Handlers by verb, in place of those for stored objects. */
export interface VerbHandlers {
  readonly verbs: { readonly [verb: string]: Verb }
  /** Kind of the body when it is not the resource's own. */
  readonly body?: SubresourceView['body']
  /** Whether the response can be a Table; absent: it can. */
  readonly tables?: false
}

/** Makes the handlers of what nodes, pods and services answer, by the names of their actions. */
export type Connections = (services: Pick<Services, 'agents' | 'writes' | 'answers'>) => { readonly [action: string]: VerbHandlers }

/** Status of an action without a result. */
export const done: Status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 }
