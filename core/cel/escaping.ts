/** Escaping of field names that are not identifiers, such as `example.com/key` and `namespace`. */

const reserved = new Set(
  'true false null in as break const continue else for function if import let loop package namespace return var void while'.split(' '),
)
const escapes: { readonly [part: string]: string } = { __: '__underscores__', '.': '__dot__', '-': '__dash__', '/': '__slash__' }
const meanings: { readonly [word: string]: string | undefined } = { underscores: '__', dot: '.', dash: '-', slash: '/' }

/** Escapes a field name for expressions; undefined: not possible. */
export function escapeName(name: string): string | undefined {
  if (reserved.has(name)) return `__${name}__`
  if (!/^[A-Za-z_./-][A-Za-z0-9_./-]*$/.test(name)) return undefined
  return name.replace(/__|[-./]/g, (part) => escapes[part] ?? part)
}

/** Whether a name is reserved. Since 1.31 expressions may still use it for a field. */
export const isReserved = (name: string): boolean => reserved.has(name)

/** Unescapes a field name: `foo__dot__bar` is `foo.bar`, `__in__` is `in`. Anything else is unchanged. */
export function unescapeName(name: string): string {
  let known = true
  const field = name.replace(/__([^_]+)__/g, (written, word: string) => {
    if (Object.hasOwn(meanings, word)) return meanings[word] as string
    known &&= reserved.has(word) && written === name
    return word
  })
  return known ? field : name
}
