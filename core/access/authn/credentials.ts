/** Headers that name the user. Only authentication may trust them; they are removed before anything is passed on. */
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
 * Tells the names, in lower case, of headers that carry credentials: `Authorization` and the request headers of front proxies, both the
 * standard and the configured ones.
 */
export const credentialHeaders = (configured?: RequestHeaders): ((name: string) => boolean) => (configured ? among(configured) : isStandard)

function among(configured: RequestHeaders): (name: string) => boolean {
  const all = [standard, canonicalHeaders(configured)]
  const names = new Set(['authorization', ...all.flatMap(({ username, uid, group }) => [...username, ...uid, ...group])])
  const prefixes = [...new Set(all.flatMap(({ extraPrefix }) => extraPrefix))]
  return (name) => {
    if (names.has(name)) return true
    for (const prefix of prefixes) if (name.startsWith(prefix)) return true
    return false
  }
}

const isStandard = among(standard)
