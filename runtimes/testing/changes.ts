/** What differs between two JSON values: as a JSON patch, and as text. */
import { tokensOf } from '../../core/apply/json-patch.ts'
import { equal } from '../../core/schema/json/equal.ts'
import { isObject } from '../../core/schema/json/is-object.ts'
import type { Json, JsonObject } from '../../core/schema/model.ts'

/** A place where two values differ. `before` is undefined for what was added, `after` for what was removed. */
export interface Change {
  /** JSON pointer (RFC 6901); empty: the whole value. */
  readonly path: string
  readonly before?: unknown
  readonly after?: unknown
}

const escaped = (name: string) => name.replaceAll('~', '~0').replaceAll('/', '~1')

/** Members that are undefined count as absent, as in JSON. Lists of different lengths are one change. */
export function changesOf(before: unknown, after: unknown, path = ''): Change[] {
  if (before === undefined && after === undefined) return []
  if (isObject(before) && isObject(after)) {
    const names = new Set([...Object.keys(before), ...Object.keys(after)])
    return [...names].flatMap((name) => changesOf(member(before, name), member(after, name), `${path}/${escaped(name)}`))
  }
  if (Array.isArray(before) && Array.isArray(after) && before.length === after.length)
    return before.flatMap((item, at) => changesOf(item, after[at], `${path}/${at}`))
  return equal(before as Json, after as Json) ? [] : [{ path, before, after }]
}

const member = (value: JsonObject, name: string) => (Object.hasOwn(value, name) ? value[name] : undefined)

/** The operations (RFC 6902) that make the changes. */
export const patchOf = (changes: readonly Change[]): object[] =>
  changes.map(({ path, before, after }) => {
    if (after === undefined) return { op: 'remove', path }
    return { op: before === undefined ? 'add' : 'replace', path, value: after }
  })

/** Maximum characters of a value in text. */
const maxShown = 300

function shown(value: unknown): string {
  const text = JSON.stringify(value)
  return text.length > maxShown ? `${text.slice(0, maxShown)}…` : text
}

/** `/data/tea` as `data.tea`; names with dots stay readable in quotes. */
function place(path: string): string {
  const names = tokensOf(path).slice(1)
  return names.map((name) => (/^[\w-]+$/.test(name) ? name : JSON.stringify(name))).join('.') || '(all)'
}

/** A line for each change: `~ data.tea: "3" → "4"`, `+ data.milk: "1"`, `- data.rum: "9"`. */
export const textOf = (changes: readonly Change[]): string =>
  changes
    .map(({ path, before, after }) => {
      if (after === undefined) return `- ${place(path)}: ${shown(before)}`
      if (before === undefined) return `+ ${place(path)}: ${shown(after)}`
      return `~ ${place(path)}: ${shown(before)} → ${shown(after)}`
    })
    .join('\n')
