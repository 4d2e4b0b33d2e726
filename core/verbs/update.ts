import { respondEntry } from '../answers/rendering/respond.ts'
import { checkUid, updateObject } from '../objects/registry/update.ts'
import { readUpdateOptions } from '../request/options.ts'
import type { ApiObject } from '../resources/definition.ts'
import { clone } from '../schema/json/members.ts'
import type { JsonObject } from '../schema/model.ts'
import { readObject } from './body.ts'
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
    const body = await readObject(bodies, target, options.fieldValidation)
    validateIdentity(target, body)
    checkName(target)
    const copy = () => clone(body as JsonObject) as ApiObject

    async function write(record: Recorder): Promise<Response> {
      const put = async () => {
        const submission = submitWrite(writes, target, 'UPDATE', options)
        const change = (existing: ApiObject) => completed(writes, target, copy(), submission, existing, record)
        exchange.span?.event('About to store object in database')
        const request = writeRequest(writes, target, submission)
        const entry = await updateObject(resource, namespace, name, { view, isWhole: true, change }, request)
        exchange.span?.event('Write to database call succeeded')
        await submission.slices.pause()
        return entry
      }
      if (!resource.definition.createOnUpdate) return respondEntry(answers, target, await put())
      return updateOrCreate({ writes, answers }, target, options, put, () => {
        checkUid(resource, body, { namespace, name }, options.dryRun)
        return { object: copy(), record }
      })
    }

    const record = recorder(writes, target, options.fieldManager)
    return ifTooLarge(
      () => write(record),
      () => write(dropManagedFields),
    )
  }
