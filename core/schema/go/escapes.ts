/** Characters that Go's string literals escape with a letter or themselves, with their escapes. */
export const goEscapes: { readonly [character: string]: string | undefined } = {
  '\x07': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
  '"': '\\"',
  '\\': '\\\\',
}
