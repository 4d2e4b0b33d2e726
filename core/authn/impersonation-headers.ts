import type { User } from '../request/exchange.ts'
import { badRequest } from '../respond/status.ts'

const userHeader = 'impersonate-user'
const uidHeader = 'impersonate-uid'
const groupHeader = 'impersonate-group'
const extraPrefix = 'impersonate-extra-'

/** Header values are bytes, one per character; the texts in them are UTF-8. */
function decode(value: string): string {
  if (!/[\x80-\xff]/.test(value)) return value
  return new TextDecoder().decode(Uint8Array.from(value, (char) => char.charCodeAt(0)))
}

/** Repeated headers reach us as one, joined with `, ` (Fetch 2.2.2). */
const values = (value: string) => value.split(', ').map(decode)

function unescapeKey(key: string): string {
  try {
    return decodeURIComponent(key)
  } catch {
    return key
  }
}

/**
 * The user that a request wants to be, as its `Impersonate-*` headers say, with nothing filled in; undefined when it has none.
 * Throws an ApiError 400 on details without a user name.
 */
export function readImpersonation(headers: Headers): User | undefined {
  if (!asksForImpersonation(headers)) return undefined
  const name = decode(headers.get(userHeader) ?? '')
  const uid = decode(headers.get(uidHeader) ?? '')
  const group = headers.get(groupHeader)
  const extra: { [key: string]: string[] } = Object.create(null)
  let hasExtra = false
  for (const [header, value] of headers) {
    if (!header.startsWith(extraPrefix)) continue
    hasExtra = true
    const key = unescapeKey(header.slice(extraPrefix.length))
    extra[key] = [...(extra[key] ?? []), ...values(value)]
  }
  const groups = group === null ? [] : values(group)
  if (name === '') {
    if (uid === '' && group === null && !hasExtra) return undefined
    throw badRequest(`requested ${show(uid, groups, hasExtra ? extra : undefined)} without impersonating a user name`)
  }
  return { name, ...(uid !== '' && { uid }), groups, ...(hasExtra && { extra }) }
}

function asksForImpersonation(headers: Headers): boolean {
  for (const name of headers.keys()) if (name.startsWith('impersonate-')) return true
  return false
}

/** The request as the reference server prints it in its refusal. */
function show(uid: string, groups: readonly string[], extra: { readonly [key: string]: readonly string[] } | undefined): string {
  const quote = (text: string) => JSON.stringify(text)
  const list = (texts: readonly string[]) => `{${texts.map(quote).join(', ')}}`
  const groupText = groups.length === 0 ? '[]string(nil)' : `[]string${list(groups)}`
  const entries = Object.entries(extra ?? {}).map(([key, texts]) => `${quote(key)}:[]string${list(texts)}`)
  const extraText = extra === undefined ? 'map[string][]string(nil)' : `map[string][]string{${entries.join(', ')}}`
  return `&user.DefaultInfo{Name:"", UID:${quote(uid)}, Groups:${groupText}, Extra:${extraText}}`
}
