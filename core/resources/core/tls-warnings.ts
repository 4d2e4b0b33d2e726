/** Warnings about malformed certificate and key pairs, with the texts of Go's crypto/tls. Does not check whether the two match. */

const begin = '-----BEGIN '
const finish = '-----END '
const dashes = '-----'

/** Positions of lines with the mark, by PEM type, last first. */
function linesByType(text: string, mark: string): Map<string, number[]> {
  const lines = new Map<string, number[]>()
  for (let at = text.lastIndexOf(mark); at >= 0; at = at === 0 ? -1 : text.lastIndexOf(mark, at - 1)) {
    const start = at + mark.length
    const end = text.indexOf(dashes, start)
    if (end < 0) continue
    const type = text.slice(start, end)
    const own = lines.get(type)
    if (own === undefined) lines.set(type, [at])
    else own.push(at)
  }
  return lines
}

/** Types of the PEM blocks in a text (RFC 7468). Ends are indexed, because a text may have 60,000 begin lines. */
function blockTypes(text: string): string[] {
  const types: string[] = []
  const ends = linesByType(text, finish)
  for (let at = text.indexOf(begin); at >= 0; at = text.indexOf(begin, at)) {
    const start = at + begin.length
    const end = text.indexOf(dashes, start)
    if (end < 0) break
    const type = text.slice(start, end)
    const own = ends.get(type) ?? []
    while ((own.at(-1) ?? end) < end) own.pop()
    const close = own.at(-1)
    if (close !== undefined) types.push(type)
    at = close ?? start
  }
  return types
}

function textOf(base64: string | undefined): string {
  try {
    return atob(base64 ?? '')
  } catch {
    return ''
  }
}

const after = (types: readonly string[]) => `after skipping PEM blocks of the following types: [${types.slice(0, 8).join(' ')}]`

function certificateProblem(types: readonly string[]): string | undefined {
  if (types.includes('CERTIFICATE')) return undefined
  if (types.length === 0) return 'tls: failed to find any PEM data in certificate input'
  if (types.length === 1 && types[0]?.endsWith('PRIVATE KEY')) {
    return 'tls: failed to find certificate PEM data in certificate input, but did find a private key; PEM inputs may have been switched'
  }
  return `tls: failed to find "CERTIFICATE" PEM block in certificate input ${after(types)}`
}

function keyProblem(types: readonly string[]): string | undefined {
  if (types.some((type) => type === 'PRIVATE KEY' || type.endsWith(' PRIVATE KEY'))) return undefined
  if (types.length === 0) return 'tls: failed to find any PEM data in key input'
  if (types.length === 1 && types[0] === 'CERTIFICATE') return 'tls: found a certificate rather than a key in the PEM for the private key'
  return `tls: failed to find PEM block with type ending in "PRIVATE KEY" in key input ${after(types)}`
}

/** @param data base64 data of a Secret */
export function tlsWarnings(data: { readonly [key: string]: string } = {}): string[] {
  const problem = certificateProblem(blockTypes(textOf(data['tls.crt']))) ?? keyProblem(blockTypes(textOf(data['tls.key'])))
  return problem === undefined ? [] : [problem]
}
