import { respondEntry } from '../answers/rendering/respond.ts'
import { type MaybePromise, then } from '../common/maybe-promise.ts'
import { checkUid, updateObject } from '../objects/registry/update.ts'
import { readUpdateOptions } from '../request/options.ts'
import type { ApiObject } from '../resources/definition.ts'
import { readRepeatable } from './body.ts'
import { completed } from './completion.ts'
import { updateOrCreate } from './creation.ts'
import { checkName, requireName, validateIdentity } from './name.ts'
import { type Recorder, recorder } from './ownership.ts'
import type { Services, Verb } from './services.ts'
import { submitWrite, writeRequest } from './submission.ts'
import { dropManagedFields, ifTooLarge } from './too-large.ts'

/** PUT of one object or subresource. */
export const update =
  ({ bodies, writes, answers }: Pick<Services, 'bodies' | 'writes' | 'answers'>): Verb =>
  async (target) => {
    const { exchange, resource, view, namespace, name } = target
    requireName(target)
    const options = readUpdateOptions(exchange.query, writes.platform)
    const received = readRepeatable(bodies, target, options.fieldValidation)
    const body = received instanceof Promise ? await received : received
    const identified = (object: ApiObject) => {
      validateIdentity(target, object)
      return object
    }
    let first: ApiObject | undefined = identified(body.object)
    checkName(target)
    /** The object as the client sent it. Each attempt changes its own; there is rarely a second one. */
    const given = (): MaybePromise<ApiObject> => {
      const object = first ?? then(body.again(), identified)
      first = undefined
      return object
    }

    async function write(record: Recorder): Promise<Response> {
      const put = async () => {
        const submission = submitWrite(writes, target, 'UPDATE', options)
        const change = (existing: ApiObject) => then(given(), (object) => completed(writes, target, object, submission, existing, record))
        exchange.span?.event('About to store object in database')
        const request = writeRequest(writes, target, submission)
        const entry = await updateObject(resource, namespace, name, { view, isWhole: true, change }, request)
        exchange.span?.event('Write to database call succeeded')
        const paused = submission.slices.pause()
        if (paused) await paused
        return entry
      }
      if (!resource.definition.createOnUpdate) return respondEntry(answers, target, await put())
      const wanted = () =>
        then(given(), (object) => {
          checkUid(resource, object, { namespace, name }, options.dryRun)
          return { object, record }
        })
      return updateOrCreate({ writes, answers }, target, options, put, wanted)
    }

    const record = recorder(writes, target, options.fieldManager)
    return ifTooLarge(
      () => write(record),
      () => write(dropManagedFields),
    )
  }
