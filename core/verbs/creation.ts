/** Updates and applies of objects that do not exist yet. */
import { attributesOf } from '../access/authz/authorizer.ts'
import { forbiddenError } from '../access/authz/forbidden.ts'
import { respondEntry } from '../answers/rendering/respond.ts'
import { ApiError, internalError, unreasoned } from '../answers/status.ts'
import type { MaybePromise } from '../common/maybe-promise.ts'
import { createObject } from '../objects/registry/create.ts'
import type { StoredObject } from '../objects/storage/stored-object.ts'
import type { WriteOptions } from '../request/options.ts'
import type { ApiObject } from '../resources/definition.ts'
import { parseRevision } from '../schema/formats/revision-text.ts'
import { completed } from './completion.ts'
import type { Recorder } from './ownership.ts'
import type { Services, Target, WriteServices } from './services.ts'
import { type Submission, submitWrite, writeRequest } from './submission.ts'

/** Throws 403 when the user may not create the object, 500 when that can't be found out. */
async function authorizeCreate({ authorizer }: WriteServices, { exchange }: Target): Promise<void> {
  const attributes = attributesOf(exchange.user, { ...exchange.info, verb: 'create' })
  const { verdict, reason, error } = await authorizer.authorize(attributes, exchange)
  if (verdict === 'allow') return
  throw error === undefined ? forbiddenError(attributes, reason) : internalError(error)
}

/**
 * The create that an update or an apply of a missing object becomes. It needs the right to create, which is checked before validating
 * admission (apiserver/pkg/endpoints/handlers/update.go, `withAuthorization`).
 */
function submitCreation(writes: WriteServices, target: Target, options: WriteOptions): Submission {
  const submission = submitWrite(writes, target, 'CREATE', options)
  return { ...submission, validate: (object, old) => authorizeCreate(writes, target).then(() => submission.validate(object, old)) }
}

/** Maximum attempts while the object is repeatedly created and deleted by others. */
const tries = 5

const reasonOf = (error: unknown) => (error instanceof ApiError ? error.status.reason : undefined)

const isMissing = ({ name, view }: Target, error: unknown) =>
  view.name === '' && reasonOf(error) === 'NotFound' && (error as ApiError).status.details?.name === name

/** The object as the request wants it, before admission. */
export interface Wanted {
  readonly object: ApiObject
  readonly record: Recorder
}

/**
 * Creates the absent object. As in the reference, a resourceVersion is no precondition (storage/etcd3/store.go, `GuaranteedUpdate`): admission
 * sees it, a dry run shows it, and only a malformed one is an error (500).
 */
async function createAbsent(writes: WriteServices, target: Target, options: WriteOptions, { object, record }: Wanted) {
  const submission = submitCreation(writes, target, options)
  const admitted = await completed(writes, target, object, submission, undefined, record)
  const revision = parseRevision(admitted.metadata.resourceVersion ?? '')
  if (typeof revision === 'string') throw unreasoned(revision)
  if (!options.dryRun) delete admitted.metadata.resourceVersion
  return createObject(target.resource, admitted, writeRequest(writes, target, submission))
}

/** Responds with the updated object (200), or with the one that is created if there is none (201). */
export async function updateOrCreate(
  { writes, answers }: Pick<Services, 'writes' | 'answers'>,
  target: Target,
  options: WriteOptions,
  update: () => Promise<StoredObject>,
  wanted: () => MaybePromise<Wanted>,
): Promise<Response> {
  for (let count = 1; ; count++) {
    try {
      return respondEntry(answers, target, await update())
    } catch (error) {
      if (!isMissing(target, error)) throw error
    }
    try {
      return respondEntry(answers, target, await createAbsent(writes, target, options, await wanted()), 201)
    } catch (error) {
      if (reasonOf(error) !== 'AlreadyExists' || count === tries || options.dryRun) throw error
    }
  }
}
