/** TokenReview and SelfSubjectReview (authentication API). */
import { AuthenticationError } from '../../access/authn/authenticator.ts'
import { mustKnow, unknownToken } from '../../access/authn/bearer.ts'
import { badRequest } from '../../answers/status.ts'
import { sortedExtra, type User } from '../../request/exchange.ts'
import type { ApiObject } from '../../resources/definition.ts'
import { timestamp } from '../../schema/formats/time.ts'
import type { Services } from '../services.ts'
import type { Action } from './action.ts'

function userInfo(user: User) {
  const { name, uid, groups } = user
  const extra = sortedExtra(user)
  return { ...(name !== '' && { username: name }), ...(uid !== undefined && { uid }), groups, ...(extra && { extra }) }
}

/** The answer is a new object. */
export const selfSubjectReview = ({ writes: { clock } }: Pick<Services, 'writes'>): Action => ({
  perform({ exchange }, { kind, apiVersion }) {
    const metadata = { creationTimestamp: timestamp(clock.now()) }
    return { kind, apiVersion, metadata, status: { userInfo: userInfo(exchange.user) } } as ApiObject
  },
})

type Spec = { readonly token?: string; readonly audiences?: readonly string[] }
type Status = { readonly user?: object; readonly audiences?: readonly string[]; readonly error?: string }

/** The reference asks an authenticator of its own token too, which knows no other, and lists all errors. */
const reviewError = (message: string) =>
  message === unknownToken ? message : `[${unknownToken}, ${message.startsWith('[') ? message.slice(1, -1) : message}]`

export const tokenReview = ({ access: { identities } }: Pick<Services, 'access'>): Action => ({
  async perform({ exchange }, object) {
    const { token = '', audiences = [] } = (object['spec'] ?? {}) as Spec
    if (token === '') throw badRequest('token is required for TokenReview in authentication')
    // Where the review says nothing, the status that the client sent stays.
    const sent = (object['status'] ?? {}) as Status
    const wanted = audiences.length > 0 ? audiences : identities.audiences
    try {
      const found = await mustKnow(identities.tokens.authenticateToken(token, wanted.length > 0 ? wanted : undefined, exchange))
      const status = {
        authenticated: true,
        user: userInfo(found.user),
        ...(found.audiences?.length && { audiences: found.audiences }),
        ...(sent.error && { error: sent.error }),
      }
      return { ...object, status }
    } catch (error) {
      if (!(error instanceof AuthenticationError)) throw error
      const { user = {}, audiences: claimed } = sent
      return { ...object, status: { user, ...(claimed?.length && { audiences: claimed }), error: reviewError(error.message) } }
    }
  },
})
