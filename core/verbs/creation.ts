import { attributesOf } from '../authz/authorizer.ts'
import { forbiddenError } from '../authz/forbidden.ts'
import type { WriteOptions } from '../request/options.ts'
import { internalError } from '../respond/status.ts'
import type { Target } from './services.ts'
import { type Submission, submitWrite } from './submission.ts'

/** Throws 403 when the user may not create the object, 500 when that can't be found out. */
async function authorizeCreate({ services, exchange }: Target): Promise<void> {
  const attributes = attributesOf(exchange.user, { ...exchange.info, verb: 'create' })
  const { verdict, reason, error } = await services.authorizer.authorize(attributes, exchange)
  if (verdict === 'allow') return
  throw error === undefined ? forbiddenError(attributes, reason) : internalError(error)
}

/**
 * The create that an update or an apply of a missing object becomes. It needs the right to create, which is checked before validating
 * admission (apiserver/pkg/endpoints/handlers/update.go, `withAuthorization`).
 */
export function submitCreation(target: Target, options: WriteOptions): Submission {
  const submission = submitWrite(target, 'CREATE', options)
  return { ...submission, validate: (object, old) => authorizeCreate(target).then(() => submission.validate(object, old)) }
}
