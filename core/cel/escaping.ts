/** Names of fields that are no identifiers of the language, such as `example.com/key` and `namespace`. */

const reserved = new Set(
  'true false null in as break const continue else for function if import let loop package namespace return var void while'.split(' '),
)
const escapes: { readonly [part: string]: string } = { __: '__underscores__', '.': '__dot__', '-': '__dash__', '/': '__slash__' }
const meanings: { readonly [word: string]: string | undefined } = { underscores: '__', dot: '.', dash: '-', slash: '/' }

/** The name that an expression uses for a field; undefined: it can't be named. */
export function escapeName(name: string): string | undefined {
  if (reserved.has(name)) return `__${name}__`
  if (!/^[A-Za-z_./-][A-Za-z0-9_./-]*$/.test(name)) return undefined
  return name.replace(/__|[-./]/g, (part) => escapes[part] ?? part)
}

/** Whether a name is a word of the language: expressions may use it for a field all the same, since 1.31. */
export const isReserved = (name: string): boolean => reserved.has(name)

/** The field that an expression names: `foo__dot__bar` is `foo.bar`, `__in__` is `in`. What is no escape stays. */
export function unescapeName(name: string): string {
  let known = true
  const field = name.replace(/__([^_]+)__/g, (written, word: string) => {
    if (Object.hasOwn(meanings, word)) return meanings[word] as string
    known &&= reserved.has(word) && written === name
    return word
  })
  return known ? field : name
}
