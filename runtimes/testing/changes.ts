/** What differs between two JSON values, also as a JSON patch. */
import { equal } from '../../core/schema/json/equal.ts'
import type { Json } from '../../core/schema/model.ts'

/** A place where two values differ. `before` is undefined for what was added, `after` for what was removed. */
export interface Change {
  /** JSON pointer (RFC 6901); empty: the whole value. */
  readonly path: string
  readonly before?: unknown
  readonly after?: unknown
}

type Members = { readonly [name: string]: unknown }

const isMembers = (value: unknown): value is Members => typeof value === 'object' && value !== null && !Array.isArray(value)
const escaped = (name: string) => name.replaceAll('~', '~0').replaceAll('/', '~1')

/** Members that are undefined count as absent, as in JSON. Lists of different lengths are one change. */
export function changesOf(before: unknown, after: unknown, path = ''): Change[] {
  if (before === undefined && after === undefined) return []
  if (isMembers(before) && isMembers(after)) {
    const names = new Set([...Object.keys(before), ...Object.keys(after)])
    return [...names].flatMap((name) => changesOf(member(before, name), member(after, name), `${path}/${escaped(name)}`))
  }
  if (Array.isArray(before) && Array.isArray(after) && before.length === after.length)
    return before.flatMap((item, at) => changesOf(item, after[at], `${path}/${at}`))
  return equal(before as Json, after as Json) ? [] : [{ path, before, after }]
}

const member = (value: Members, name: string) => (Object.hasOwn(value, name) ? value[name] : undefined)

/** The operations (RFC 6902) that make the changes. */
export const patchOf = (changes: readonly Change[]): object[] =>
  changes.map(({ path, before, after }) => {
    if (after === undefined) return { op: 'remove', path }
    return { op: before === undefined ? 'add' : 'replace', path, value: after }
  })
