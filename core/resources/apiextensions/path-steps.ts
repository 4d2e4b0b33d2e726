/** Parses paths such as `.spec.parts['a-b']` (reference: ValidFieldPath of pkg/apiserver/schema/cel). */

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

/**
 * Yields the names of a path. `arrays`: allow `['name']`.
 * @throws Error with the reason, at the malformed name.
 */
export function* pathSteps(text: string, arrays = true): Generator<string> {
  const all = text.match(tokens) ?? []
  for (let at = 0; at < all.length; at++) {
    const token = all[at]
    if (token !== '.' && token !== '[') throw new Error(`expected [ or . but got: ${token}`)
    if (token === '[' && !arrays) throw new Error('array notation is not allowed')
    const name = all[++at]
    if (token === '.') {
      // The last name may be empty, which matches no field.
      yield name ?? ''
      continue
    }
    if (name === undefined) throw new Error('unexpected end of JSON path')
    if (name.length < 2 || !name.startsWith("'") || !name.endsWith("'")) throw new Error(`expected single quoted string but got ${name}`)
    yield unescaped(name.slice(1, -1))
    const end = all[++at]
    if (end === undefined) throw new Error('unexpected end of JSON path')
    if (end !== ']') throw new Error(`expected ] but got ${end}`)
  }
}
