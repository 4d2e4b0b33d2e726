/** Headers that say who makes a request. They are for authentication alone: nothing further in may believe them or pass them on. */
import { eachHeaderName } from '../respond/light-headers.ts'
import type { RequestHeaders } from './request-header.ts'

const standard: RequestHeaders = {
  username: ['x-remote-user'],
  uid: ['x-remote-uid'],
  group: ['x-remote-group'],
  extraPrefix: ['x-remote-extra-'],
}

const lowerCase = (names: readonly string[]) => names.map((name) => name.trim().toLowerCase())

/** The same names as a Headers object gives them. */
export const canonicalHeaders = ({ username, uid, group, extraPrefix }: RequestHeaders): RequestHeaders => ({
  username: lowerCase(username),
  uid: lowerCase(uid),
  group: lowerCase(group),
  extraPrefix: lowerCase(extraPrefix),
})

/**
 * Finds the names of the headers that carry credentials: `Authorization`, and those by which front proxies say who a user is, the
 * standard ones and those that are configured.
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
