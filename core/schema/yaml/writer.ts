import type { Json, JsonObject } from '../model.ts'
import { compareKeys } from './key-order.ts'
import { resolvePlain } from './resolve.ts'

/** Strings that need no quotes, unless they are a YAML word or number. */
const simple = /^[A-Za-z_/][\w./+-]*(?: [\w./+-]+)*$/
/** Longer strings are quoted without a check. */
const longestSimple = 128
/** Maximum characters of a key without `?`. */
const longestKey = 512
/** Line breaks of YAML 1.1 and characters that it forbids, which JSON does not escape. */
const unsafe = /[\x7f-\x9f\u2028\u2029\ufeff]/g
/** Multi-line strings that can be written as block: without control characters and other line breaks, and without leading white space. */
const lines = /^[!-~\u00a1-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd][\t\n -~\u00a1-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd]*$/

const escaped = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
const quoted = (text: string) => JSON.stringify(text).replace(unsafe, escaped)
const isSimple = (text: string) => text.length <= longestSimple && simple.test(text) && resolvePlain(text) === text

function keyOf(key: string): string {
  return isSimple(key) ? key : quoted(key)
}

/** A string as block scalar, without the indentation of its first line. */
function block(text: string, pad: string): string {
  const chomping = !text.endsWith('\n') ? '-' : text.endsWith('\n\n') ? '+' : ''
  const body = text.endsWith('\n') ? text.slice(0, -1) : text
  return `|${chomping}\n${pad}${body.replace(/\n(?=[^\n])/g, `\n${pad}`)}\n`
}

/** A value after its key or dash, to the end of its last line. `pad`: indentation of its content. */
function scalar(value: Json, pad: string): string {
  if (typeof value !== 'string') return `${typeof value === 'bigint' ? value : JSON.stringify(value)}\n`
  if (isSimple(value)) return `${value}\n`
  return value.includes('\n') && lines.test(value) ? block(value, pad) : `${quoted(value)}\n`
}

const isEmpty = (value: object) => (Array.isArray(value) ? value : Object.keys(value)).length === 0

/** Writes the members of an object, sorted; if `isOpen`, the first one continues the current line. */
function writeMembers(out: string[], object: JsonObject, pad: string, isOpen: boolean): void {
  let prefix = isOpen ? '' : pad
  for (const key of Object.keys(object).sort(compareKeys)) {
    const value = object[key] as Json
    if (value === undefined) continue
    const name = key.length > longestKey ? `? ${keyOf(key)}\n${pad}` : keyOf(key)
    out.push(prefix, name, ':')
    prefix = pad
    if (typeof value !== 'object' || value === null) out.push(' ', scalar(value, `${pad}  `))
    else if (isEmpty(value)) out.push(Array.isArray(value) ? ' []\n' : ' {}\n')
    else {
      out.push('\n')
      if (Array.isArray(value)) writeItems(out, value, pad, false)
      else writeMembers(out, value, `${pad}  `, false)
    }
  }
}

function writeItems(out: string[], items: readonly Json[], pad: string, isOpen: boolean): void {
  let prefix = isOpen ? '' : pad
  const inner = `${pad}  `
  for (const item of items) {
    out.push(prefix, '- ')
    prefix = pad
    if (typeof item !== 'object' || item === null) out.push(scalar(item, inner))
    else if (isEmpty(item)) out.push(Array.isArray(item) ? '[]\n' : '{}\n')
    else if (Array.isArray(item)) writeItems(out, item, inner, true)
    else writeMembers(out, item, inner, true)
  }
}

/**
 * YAML that readers of versions 1.1 and 1.2 read alike, in the reference's style: blocks, with lists at the indentation of their key.
 * Members are sorted, as Go does; undefined ones are omitted.
 */
export function writeYaml(value: Json): string {
  if (typeof value !== 'object' || value === null) return scalar(value, '')
  if (isEmpty(value)) return Array.isArray(value) ? '[]\n' : '{}\n'
  const out: string[] = []
  if (Array.isArray(value)) writeItems(out, value, '', false)
  else writeMembers(out, value, '', false)
  return out.join('')
}
