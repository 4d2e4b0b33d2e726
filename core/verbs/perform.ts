import { readCreateOptions } from '../request/options.ts'
import type { ApiObject } from '../resources/definition.ts'
import { badRequest, type Status } from '../respond/status.ts'
import { applyDefaults } from '../schema/defaults.ts'
import type { Json } from '../schema/model.ts'
import type { Action } from './actions/action.ts'
import { readObject } from './body.ts'
import { recorder } from './ownership.ts'
import { respondObject, respondStatus } from './respond.ts'
import { hookContext, type Verb } from './services.ts'
import { submitWrite } from './submission.ts'

/** Metadata that only servers set. */
const systemFields = ['uid', 'creationTimestamp', 'deletionTimestamp', 'deletionGracePeriodSeconds', 'selfLink'] as const

function dropSystemFields({ metadata }: ApiObject): void {
  for (const field of systemFields) delete metadata[field]
}

const isStatus = (answer: ApiObject | Status): answer is Status => answer.kind === 'Status'

/** POST handler of an action, which stores nothing. */
export const perform =
  (action: Action): Verb =>
  async (target) => {
    const { exchange, services, resource, namespace } = target
    const options = readCreateOptions(exchange.query, services.platform)
    const object = await readObject(target, options.fieldValidation)
    if (!action.keepsMetadata) dropSystemFields(object)
    if (!resource.definition.namespaced) delete object.metadata.namespace
    else {
      object.metadata.namespace ||= namespace
      if (object.metadata.namespace !== namespace)
        throw badRequest('the namespace of the provided object does not match the namespace sent on the request')
    }
    applyDefaults(target.view.body.schema, object as Json, hookContext(services))
    const submission = submitWrite(target, 'CREATE', options)
    // Answers that repeat the body have managed fields, though nothing is stored.
    const isStamped = await recorder(target, options.fieldManager)(object, undefined)
    const admitted = await submission.mutate(object, undefined, isStamped)
    await submission.validate(admitted, undefined)
    const answer = await action.perform(target, admitted, options.dryRun)
    return isStatus(answer) ? respondStatus(target, answer) : respondObject(target, answer, 201)
  }
