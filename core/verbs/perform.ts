import type { Status } from '../answers/status.ts'
import { readCreateOptions } from '../request/options.ts'
import type { ApiObject } from '../resources/definition.ts'
import { applyDefaults } from '../schema/defaults.ts'
import type { Json } from '../schema/model.ts'
import type { Action } from './actions/action.ts'
import { readObject } from './body.ts'
import { dropSystemMetadata, requireNamespace } from './name.ts'
import { recorder } from './ownership.ts'
import { respondObject, respondStatus } from './respond.ts'
import { hookContext, type Services, type Verb } from './services.ts'
import { submitWrite } from './submission.ts'

const isStatus = (answer: ApiObject | Status): answer is Status => answer.kind === 'Status'

/** POST handler of an action, which stores nothing. */
export const perform =
  (action: Action, { bodies, writes, answers }: Pick<Services, 'bodies' | 'writes' | 'answers'>): Verb =>
  async (target) => {
    const options = readCreateOptions(target.exchange.query, writes.platform)
    const submission = submitWrite(writes, target, 'CREATE', options)
    const object = await readObject(bodies, target, options.fieldValidation)
    if (!action.keepsMetadata) dropSystemMetadata(object)
    requireNamespace(target, object)
    applyDefaults(target.view.body.schema, object as Json, hookContext(writes))
    // Answers that repeat the body have managed fields, though nothing is stored.
    const isStamped = await recorder(writes, target, options.fieldManager)(object, undefined)
    await submission.slices.pause()
    const admitted = await submission.mutate(object, undefined, isStamped)
    await submission.validate(admitted, undefined)
    await submission.slices.pause()
    const answer = await action.perform(target, admitted, options.dryRun)
    await submission.slices.pause()
    return isStatus(answer) ? respondStatus(answers, target, answer) : respondObject(answers, target, answer, 201)
  }
