import type { Clock } from '../../ports.ts'
import type { User } from '../../request/exchange.ts'
import { extraValues, headerValues } from '../../request/header-values.ts'
import type { Authenticator } from './authenticator.ts'
import type { Authorities } from './certificate/authorities.ts'
import { clientCertificate } from './certificate/client-certificate.ts'
import { commonNameOf } from './certificate/x509.ts'
import { canonicalHeaders } from './credentials.ts'

/** Headers in which a front proxy names the user (`--requestheader-*`). */
export interface RequestHeaders {
  /** The first header with a value wins. */
  readonly username: readonly string[]
  readonly uid: readonly string[]
  /** The values of all of these headers are used. */
  readonly group: readonly string[]
  readonly extraPrefix: readonly string[]
}

export interface FrontProxies {
  readonly authorities: Authorities
  /** CommonNames that a proxy's certificate may have; empty: any. */
  readonly allowedNames: readonly string[]
  readonly headers: RequestHeaders
}

/** The first value of the first header that has one. */
function firstValue(headers: Headers, names: readonly string[]): string {
  for (const name of names) {
    const [first = ''] = headerValues(headers, name)
    if (first !== '') return first
  }
  return ''
}

function extraOf(headers: Headers, prefixes: readonly string[]): { [key: string]: string[] } {
  const extra: { [key: string]: string[] } = Object.create(null)
  for (const prefix of prefixes) {
    for (const [key, values] of Object.entries(extraValues(headers, prefix) ?? {})) extra[key] = [...(extra[key] ?? []), ...values]
  }
  return extra
}

/**
 * Trusts the headers of a front proxy whose client certificate chains to the given authorities and has an allowed CommonName. No opinion
 * without such headers.
 */
export function requestHeaderAuthenticator({ authorities, allowedNames, headers: given }: FrontProxies, clock: Clock): Authenticator {
  const names = canonicalHeaders(given)
  const verifiedProxy = clientCertificate(authorities, clock, (leaf) => {
    const name = commonNameOf(leaf)
    if (allowedNames.length > 0 && !allowedNames.includes(name)) throw new Error(`subject with cn=${name} is not in the allowed list`)
    return leaf
  })

  const userOf = (headers: Headers): User => {
    const name = firstValue(headers, names.username)
    const uid = firstValue(headers, names.uid)
    const groups = names.group.flatMap((header) => headerValues(headers, header)).filter((group) => group !== '')
    const extra = extraOf(headers, names.extraPrefix)
    return { name, ...(uid !== '' && { uid }), groups, ...(Object.keys(extra).length > 0 && { extra }) }
  }

  return {
    name: 'request-header',
    authenticate: ({ headers }, connection) => {
      if (firstValue(headers, names.username) === '') return undefined
      const proxy = verifiedProxy(connection)
      if (proxy instanceof Promise) return proxy.then(() => ({ user: userOf(headers) }))
      return proxy && { user: userOf(headers) }
    },
  }
}
