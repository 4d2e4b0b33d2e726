/**
 * Values ↔ YAML of this server's own making. What clients send is read by request/yaml.ts, with bounds.
 * Readers in Go speak YAML 1.1: `yes` and `0777` are quoted, and what they take for a line break or refuse is escaped.
 */
import { parse, stringify } from 'yaml'
import { exactInteger } from './json-text.ts'
import type { Json } from './model.ts'

/** Quotes what either version of YAML would read as something else than text. */
const options = { version: '1.1', compat: 'core', lineWidth: 0, aliasDuplicateObjects: false } as const
const quoted = { ...options, defaultStringType: 'QUOTE_DOUBLE', defaultKeyType: 'QUOTE_DOUBLE' } as const
/** Line breaks of YAML 1.1 and characters that it does not allow, which the library writes as they are. */
const unsafe = /[\x7f-\x9f\u2028\u2029\ufeff]/g

export function yamlText(value: unknown): string {
  const text = stringify(value, options)
  if (text.search(unsafe) === -1) return text
  const escaped = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
  return stringify(value, quoted).replace(unsafe, escaped)
}

/** Integers that a double holds are numbers, as in JSON. */
function plain(value: unknown): Json {
  if (typeof value === 'bigint') return exactInteger(value)
  if (Array.isArray(value)) return value.map(plain)
  if (typeof value !== 'object' || value === null) return value as Json
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, plain(member)]))
}

/** Reads one document that this server or the reference server wrote; times stay text. Throws an Error with the place of a fault. */
export function parseYamlText(text: string): Json {
  const isTime = (tag: unknown) => typeof tag === 'object' && tag !== null && 'format' in tag && tag.format === 'TIME'
  const isForeign = (tag: unknown) =>
    typeof tag === 'object' && tag !== null && 'tag' in tag && /:(?:binary|timestamp)$/.test(String(tag.tag))
  const value: unknown = parse(text, {
    version: '1.1',
    intAsBigInt: true,
    uniqueKeys: false,
    logLevel: 'silent',
    customTags: (tags) => tags.filter((tag) => !isTime(tag) && !isForeign(tag)),
  })
  return plain(value)
}
