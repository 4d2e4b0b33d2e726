/** Content types of responses, as Go's mime.ParseMediaType takes them. */

const startToken = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+/
const parameter = /^\s*;\s*([!#$%&'*+.^_`|~0-9A-Za-z-]+)\s*=\s*([!#$%&'*+.^_`|~0-9A-Za-z-]+|"(?:[^"\\\r\n]|\\.)*")/

const without = (text: string, start: string | undefined) => text.slice(start?.length ?? 0)
const tokenOf = (text: string) => startToken.exec(text)?.[0]

function typeFault(type: string): string | undefined {
  const first = tokenOf(type)
  if (first === undefined) return 'no media type'
  const rest = without(type, first)
  if (rest === '') return undefined
  if (!rest.startsWith('/')) return 'expected slash after first token'
  const second = tokenOf(rest.slice(1))
  if (second === undefined) return 'expected token after slash'
  return rest.length > second.length + 1 ? 'unexpected content after media subtype' : undefined
}

function parameterFault(text: string): string | undefined {
  const values = new Map<string, string>()
  for (let rest = text; rest.trim() !== ''; ) {
    const found = parameter.exec(rest)
    if (found === null) return rest.trim() === ';' ? undefined : 'invalid media parameter'
    const [whole, name = '', value = ''] = found
    const key = name.toLowerCase()
    if ((values.get(key) ?? value) !== value) return 'duplicate parameter name'
    values.set(key, value)
    rest = without(rest, whole)
  }
  return undefined
}

/** Why Go refuses a content type; undefined: it does not. An absent one ('') is fine. */
export function contentTypeFault(contentType: string): string | undefined {
  if (contentType === '') return undefined
  const [type = ''] = contentType.split(';', 1)
  const fault = typeFault(type.trim()) ?? parameterFault(without(contentType, type))
  return fault && `mime: ${fault}`
}

/** Whether client-go shows a response of this content type in errors. */
export const isText = (contentType: string): boolean => contentType === '' || contentType.trim().toLowerCase().startsWith('text/')
