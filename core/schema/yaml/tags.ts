/** Values with an explicit tag, such as `!!str 1`. */
import type { Json } from '../model.ts'
import { YamlError } from './cursor.ts'
import { resolvePlain } from './resolve.ts'
import type { Token } from './scanner.ts'

const prefix = 'tag:yaml.org,2002:'

/** The full tag. `handles`: prefixes declared by the document. Throws YamlError. */
export function tagOf({ value, line }: Token, handles: ReadonlyMap<string, string>): string {
  if (value.startsWith('!<') && value.endsWith('>')) return value.slice(2, -1)
  const [match, handle = '!', suffix = ''] = /^(![\w-]*!|!)(.*)$/.exec(value) ?? []
  const known = handles.get(handle) ?? (handle === '!!' ? prefix : handle === '!' ? '!' : undefined)
  if (match === undefined || known === undefined) throw new YamlError(line, 'found undefined tag handle')
  return known + suffix
}

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
  if (typeof value === 'number' && !Number.isFinite(value)) throw new YamlError(0, `unsupported value: ${value}`)
  return value
}

function binary(text: string): string {
  try {
    return new TextDecoder().decode(Uint8Array.from(atob(text), (character) => character.charCodeAt(0)))
  } catch {
    throw new YamlError(0, '!!binary value contains invalid base64 data')
  }
}
