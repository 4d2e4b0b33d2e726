import type { ApiObject } from '../../resources/definition.ts'
import type { Status } from '../../respond/status.ts'
import type { Target, Verb } from '../services.ts'
import type { SubresourceView } from '../views.ts'

/** A POST that answers with an object instead of storing it: a review, a binding, a request for a token. */
export interface Action {
  /** Kind of the body when it is not the resource's own. */
  readonly body?: SubresourceView['body']
  /** What to answer, given the decoded body. */
  perform(target: Target, object: ApiObject, dryRun: boolean): Promise<ApiObject | Status> | ApiObject | Status
}

/** What answers instead of the verbs on stored objects. */
export interface Answers {
  readonly verbs: { readonly [verb: string]: Verb }
  /** Kind of the body when it is not the resource's own. */
  readonly body?: SubresourceView['body']
  /** Whether what is answered has a Table; absent: it has. */
  readonly tables?: false
}

/** What a client learns of an action that has nothing to show. */
export const done: Status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 }
