import { createObject } from '../objects/registry/create.ts'
import { readCreateOptions } from '../request/options.ts'
import { readObject } from './body.ts'
import { completed } from './completion.ts'
import { dropSystemMetadata, requireNamespace } from './name.ts'
import { recorder } from './ownership.ts'
import { respondEntry } from './respond.ts'
import type { Services, Verb } from './services.ts'
import { submitWrite, writeRequest } from './submission.ts'
import { dropManagedFields, ifTooLarge } from './too-large.ts'

/** POST to a collection. */
export const create =
  ({ bodies, writes, answers }: Pick<Services, 'bodies' | 'writes' | 'answers'>): Verb =>
  async (target) => {
    const { exchange, resource } = target
    const options = readCreateOptions(exchange.query, writes.platform)
    const submission = submitWrite(writes, target, 'CREATE', options)
    const received = readObject(bodies, target, options.fieldValidation)
    const body = received instanceof Promise ? await received : received
    requireNamespace(target, body)
    dropSystemMetadata(body)
    const admitted = completed(writes, target, body, submission, undefined, recorder(writes, target, options.fieldManager))
    const object = admitted instanceof Promise ? await admitted : admitted
    const write = () => {
      exchange.span?.event('About to store object in database')
      return createObject(resource, object, writeRequest(writes, target, submission))
    }
    const again = () => {
      dropManagedFields(object, undefined)
      return write()
    }
    const entry = await ifTooLarge(write, again)
    exchange.span?.event('Write to database call succeeded')
    const paused = submission.slices.pause()
    if (paused) await paused
    return respondEntry(answers, target, entry, 201)
  }
