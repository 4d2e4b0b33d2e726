/** Headers that name the user. Only authentication may trust them; they are removed before anything is passed on. */
import { eachHeaderName } from '../respond/light-headers.ts'
import type { RequestHeaders } from './request-header.ts'

const standard: RequestHeaders = {
  username: ['x-remote-user'],
  uid: ['x-remote-uid'],
  group: ['x-remote-group'],
  extraPrefix: ['x-remote-extra-'],
}

const lowerCase = (names: readonly string[]) => names.map((name) => name.trim().toLowerCase())

/** The same names in lower case, as a Headers object lists them. */
export const canonicalHeaders = ({ username, uid, group, extraPrefix }: RequestHeaders): RequestHeaders => ({
  username: lowerCase(username),
  uid: lowerCase(uid),
  group: lowerCase(group),
  extraPrefix: lowerCase(extraPrefix),
})

/**
 * Finds the names of headers that carry credentials: `Authorization` and the request headers of front proxies, both the standard and the
 * configured ones.
 */
export function credentialHeaders(configured: RequestHeaders = standard): (headers: Headers) => readonly string[] {
  const all = [standard, canonicalHeaders(configured)]
  const names = new Set(['authorization', ...all.flatMap(({ username, uid, group }) => [...username, ...uid, ...group])])
  const prefixes = [...new Set(all.flatMap(({ extraPrefix }) => extraPrefix))]
  const isCredential = (name: string) => names.has(name) || prefixes.some((prefix) => name.startsWith(prefix))
  return (headers) => {
    const found: string[] = []
    eachHeaderName(headers, (name) => {
      if (isCredential(name) && !found.includes(name)) found.push(name)
    })
    return found
  }
}
