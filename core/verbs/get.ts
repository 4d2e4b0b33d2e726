import { respondEntry } from '../answers/rendering/respond.ts'
import type { AnswerServices } from '../answers/rendering/services.ts'
import { badRequest, notFound } from '../answers/status.ts'
import type { MaybePromise } from '../common/maybe-promise.ts'
import type { StoredObject } from '../objects/storage/stored-object.ts'
import { readGetOptions } from '../request/options.ts'
import { parseListVersion, parseVersion } from '../request/resource-version.ts'
import type { Services, Target, Verb } from './services.ts'

/** The parameter was removed; ignoring it would return a different object than requested, so it is refused. */
function refuseExport(query: URLSearchParams): void {
  const given = query.get('export')
  if (given !== null && given !== '' && given !== '0' && given.toLowerCase() !== 'false')
    throw badRequest('the export parameter, deprecated since v1.14, is no longer supported')
}

/** The live object, once the store has reached the requested `resourceVersion`. Rejects with 504 otherwise. */
function read({ exchange, resource: { store }, namespace, name }: Target): MaybePromise<StoredObject | undefined> {
  if (exchange.query.size > 0) refuseExport(exchange.query)
  const { resourceVersion = '' } = exchange.query.size === 0 ? {} : readGetOptions(exchange.query)
  const atLeast = (store.cached ? parseVersion : parseListVersion)(resourceVersion)
  exchange.span?.event('About to Get from storage')
  if (atLeast === 0) return store.live({ namespace, name }, exchange)
  return store.list({ namespace, name, at: { atLeast }, context: exchange }).then(({ entries }) => entries[0])
}

function answer(answers: AnswerServices, target: Target, entry: StoredObject | undefined): Response {
  if (entry === undefined) throw notFound(target.resource.groupResource, target.name)
  const problem = target.view.unreadable?.(entry.copy())
  if (problem) throw problem
  return respondEntry(answers, target, entry)
}

/** GET of one object. */
export const get =
  ({ answers }: Pick<Services, 'answers'>): Verb =>
  (target) => {
    const found = read(target)
    return found instanceof Promise ? answerLater(answers, target, found) : answer(answers, target, found)
  }

const answerLater = (answers: AnswerServices, target: Target, found: Promise<StoredObject | undefined>) =>
  found.then((entry) => answer(answers, target, entry))
