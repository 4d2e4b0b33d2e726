import { hasHeader } from '../../answers/light-headers.ts'
import { badRequest, unsniffed } from '../../answers/status.ts'
import type { User } from '../../request/exchange.ts'
import { extraValues, headerText, headerValues } from '../../request/header-values.ts'

const userHeader = 'impersonate-user'
const uidHeader = 'impersonate-uid'
const groupHeader = 'impersonate-group'
const extraPrefix = 'impersonate-extra-'

const isAboutImpersonation = (name: string) => name.startsWith('impersonate-')

/**
 * The user to impersonate, as the `Impersonate-*` headers say, without defaults; undefined without such headers. Throws an ApiError 400
 * on groups, UID or extra without a user name.
 */
export function readImpersonation(headers: Headers): User | undefined {
  if (!hasHeader(headers, isAboutImpersonation)) return undefined
  const name = headerText(headers.get(userHeader) ?? '')
  const uid = headerText(headers.get(uidHeader) ?? '')
  const group = headers.get(groupHeader)
  const extra = extraValues(headers, extraPrefix)
  const groups = headerValues(headers, groupHeader)
  if (name === '') {
    if (uid === '' && group === null && extra === undefined) return undefined
    throw unsniffed(badRequest(`requested ${show(uid, groups, extra)} without impersonating a user name`))
  }
  return { name, ...(uid !== '' && { uid }), groups, ...(extra && { extra }) }
}

/** The impersonation request as the reference server prints it in its 403. */
function show(uid: string, groups: readonly string[], extra: { readonly [key: string]: readonly string[] } | undefined): string {
  const quote = (text: string) => JSON.stringify(text)
  const list = (texts: readonly string[]) => `{${texts.map(quote).join(', ')}}`
  const groupText = groups.length === 0 ? '[]string(nil)' : `[]string${list(groups)}`
  const entries = Object.entries(extra ?? {}).map(([key, texts]) => `${quote(key)}:[]string${list(texts)}`)
  const extraText = extra === undefined ? 'map[string][]string(nil)' : `map[string][]string{${entries.join(', ')}}`
  return `&user.DefaultInfo{Name:"", UID:${quote(uid)}, Groups:${groupText}, Extra:${extraText}}`
}
