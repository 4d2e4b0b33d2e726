/** Paths into values by their schema, such as `.spec.parts['a-b']` (reference: ValidFieldPath of pkg/apiserver/schema/cel). */
import { FieldPath } from '../../schema/field-path.ts'
import type { Schema } from '../../schema/model.ts'

const tokens = /'(?:[^'\\]|\\.)*'|[.[\]]|[^.[\]]+/g
const escapes: { readonly [escaped: string]: string } = {
  a: '\u0007',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\u000b',
  "'": "'",
  '\\': '\\',
}

function unescaped(text: string): string {
  return text.replaceAll(/\\(.)/g, (match, escaped: string) => {
    const character = escapes[escaped]
    if (character === undefined) throw new Error(`invalid string literal: invalid escape char ${match}`)
    return character
  })
}

/** The part of a schema that a name leads to: a property, or what stands under any key. */
function step(schema: Schema, name: string): { readonly schema: Schema; readonly isField: boolean } {
  if (schema.type === 'message' && (schema.json.size > 0 || schema.additional)) {
    const property = schema.json.get(name)
    if (property) return { schema: property.schema, isField: true }
    if (schema.json.size === 0 && schema.additional) return { schema: schema.additional, isField: false }
  }
  throw new Error('does not refer to a valid field')
}

/**
 * The schema that a path leads to, and the path as errors write it. `arrays`: `['name']` is allowed.
 * @throws Error that says what is wrong with the path.
 */
export function fieldAt(schema: Schema, text: string, arrays = true): { readonly schema: Schema; readonly path: FieldPath } {
  const all = text.match(tokens) ?? []
  let path = FieldPath.root
  let node = schema
  for (let at = 0; at < all.length; at++) {
    const token = all[at]
    if (token !== '.' && token !== '[') throw new Error(`expected [ or . but got: ${token}`)
    if (token === '[' && !arrays) throw new Error('array notation is not allowed')
    let name = all[++at]
    if (name === undefined) {
      if (token === '.') throw new Error('does not refer to a valid field')
      throw new Error('unexpected end of JSON path')
    }
    if (token === '[') {
      if (name.length < 2 || !name.startsWith("'") || !name.endsWith("'")) throw new Error(`expected single quoted string but got ${name}`)
      name = unescaped(name.slice(1, -1))
    }
    const next = step(node, name)
    node = next.schema
    path = next.isField ? path.child(name) : path.key(name)
    if (token !== '[') continue
    const end = all[++at]
    if (end === undefined) throw new Error('unexpected end of JSON path')
    if (end !== ']') throw new Error(`expected ] but got ${end}`)
  }
  return { schema: node, path }
}
