/** One clause of an Accept header (RFC 9110 12.5.1). */
export interface AcceptClause {
  readonly type: string
  readonly subtype: string
  readonly quality: number
  /** Parameters other than `q`. */
  readonly parameters: ReadonlyMap<string, string>
}

const anything: AcceptClause = { type: '*', subtype: '*', quality: 1, parameters: new Map() }

/** Maximum clauses, and parameters of a clause; further ones are ignored. */
const maxClauses = 100

/**
 * The clauses of an Accept header, best first: by quality, concrete types before wildcards, then in the given order. Malformed clauses are
 * dropped; a missing or empty header accepts everything.
 */
export function parseAccept(header: string | null): AcceptClause[] {
  if (header === null || header.trim() === '') return [anything]
  return header
    .split(',', maxClauses)
    .map(parseClause)
    .filter((clause) => clause !== undefined)
    .sort((a, b) => b.quality - a.quality || wild(a.type) - wild(b.type) || wild(a.subtype) - wild(b.subtype))
}

const wild = (name: string) => (name === '*' ? 1 : 0)

function parseClause(text: string): AcceptClause | undefined {
  const [range = '', ...rest] = text.split(';', maxClauses)
  const [type = '', subtype = '', ...more] = range.trim().split('/')
  if (more.length > 0 || (subtype === '' && type !== '*')) return undefined
  let quality = 1
  const parameters = new Map<string, string>()
  for (const parameter of rest) {
    const [name = '', value = '', ...excess] = parameter.split('=')
    if (value === '' || excess.length > 0) continue
    if (name.trim() === 'q') quality = Number(value) || 0
    else parameters.set(name.trim(), value.trim())
  }
  return { type: type.trim(), subtype: subtype === '' ? '*' : subtype.trim(), quality, parameters }
}

/** Whether the clause accepts a media type such as `application/json`; ignores parameters. */
export const covers = (clause: AcceptClause, mediaType: string): boolean => clause.quality > 0 && names(clause, mediaType)

/** Whether the clause names a media type, be it to refuse it. */
export function names({ type, subtype }: AcceptClause, mediaType: string): boolean {
  const [family = '', member = ''] = mediaType.split('/')
  const fits = (pattern: string, name: string) => pattern === '*' || pattern.toLowerCase() === name
  return fits(type, family) && fits(subtype, member)
}
