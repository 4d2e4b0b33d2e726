/** Values with an explicit tag, such as `!!str 1`. */
import type { Json } from '../model.ts'
import { YamlError } from './cursor.ts'
import { resolvePlain } from './resolve.ts'

const prefix = 'tag:yaml.org,2002:'

/** Prefixes of tags by handle, without those that the document declares. */
export const tagHandles = (): Map<string, string> =>
  new Map([
    ['!', '!'],
    ['!!', prefix],
  ])

const isFloat = (value: Json) => typeof value === 'number' && !Number.isInteger(value)
const kinds: { readonly [name: string]: (value: Json) => boolean } = {
  null: (value) => value === null,
  bool: (value) => typeof value === 'boolean',
  int: (value) => typeof value === 'bigint' || (typeof value === 'number' && !isFloat(value)),
  float: (value) => typeof value === 'number' || typeof value === 'bigint',
}

/** The text as a value of the tag's type; other than YAML's own tags are ignored. Throws YamlError. */
export function tagged(tag: string, text: string): Json {
  const name = tag.startsWith(prefix) ? tag.slice(prefix.length) : ''
  if (name === 'binary') return binary(text)
  const isKind = Object.hasOwn(kinds, name) ? kinds[name] : undefined
  if (isKind === undefined) return text
  const value = resolvePlain(text)
  if (!isKind(value)) throw new YamlError(0, `cannot decode !!${text === '' ? 'null' : 'str'} \`${text.slice(0, 64)}\` as a !!${name}`)
  if (typeof value === 'number' && !Number.isFinite(value))
    throw new YamlError(0, `unsupported value: ${Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf'}`, 'json')
  return value
}

function binary(text: string): string {
  try {
    return new TextDecoder().decode(Uint8Array.from(atob(text), (character) => character.charCodeAt(0)))
  } catch {
    throw new YamlError(0, '!!binary value contains invalid base64 data')
  }
}
