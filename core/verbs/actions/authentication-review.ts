/** Who is somebody? TokenReview and SelfSubjectReview (authentication API). */
import type { User } from '../../request/exchange.ts'
import { badRequest } from '../../respond/status.ts'
import type { Action } from './action.ts'

function userInfo({ name, uid, groups, extra }: User) {
  return { username: name, ...(uid !== undefined && { uid }), groups, ...(extra && { extra }) }
}

export const selfSubjectReview: Action = {
  perform: ({ exchange }, object) => ({ ...object, status: { userInfo: userInfo(exchange.user) } }),
}

export const tokenReview: Action = {
  async perform({ services }, object) {
    const { token = '', audiences } = (object['spec'] ?? {}) as { token?: string; audiences?: string[] }
    if (token === '') throw badRequest('token is required for TokenReview in authentication')
    try {
      const found = await services.tokens.authenticateToken(token, audiences && audiences.length > 0 ? audiences : undefined)
      if (found === undefined) return { ...object, status: { authenticated: false, user: {} } }
      return {
        ...object,
        status: { authenticated: true, user: userInfo(found.user), ...(found.audiences && { audiences: found.audiences }) },
      }
    } catch {
      return { ...object, status: { authenticated: false, user: {}, error: 'the token is not valid' } }
    }
  },
}
