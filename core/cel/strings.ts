import type { Environment } from 'cel-js'

/** The result of a replacement may be so long: replacing letters by texts multiplies. Characters. */
const longest = 1024 * 1024

function replace(text: string, old: string, put: string, limit: bigint): string {
  const parts = old === '' ? [...text] : text.split(old)
  const most = limit < 0n ? parts.length : Number(limit)
  if (text.length + Math.min(most, parts.length) * put.length > longest) throw new Error('the result of replace is too long')
  if (most === 0) return text
  if (old === '')
    return parts.map((part, index) => (index < most ? put + part : part)).join('') + (most > parts.length || limit < 0n ? put : '')
  return [parts.slice(0, most + 1).join(put), ...parts.slice(most + 1)].join(old)
}

function charAt(text: string, index: bigint): string {
  const characters = [...text]
  if (index < 0n || index > BigInt(characters.length)) throw new Error(`index out of range: ${index}`)
  return characters[Number(index)] ?? ''
}

/** Functions of texts that the package does not bring. */
export function registerStrings(environment: Environment): void {
  environment
    .registerFunction('string.charAt(int): string', charAt)
    .registerFunction('string.replace(string, string): string', (text: string, old: string, put: string) => replace(text, old, put, -1n))
    .registerFunction('string.replace(string, string, int): string', replace)
}
