import { endOfString } from '../schema/json-text.ts'

const member = '"openAPIV3Schema":'
const quote = 0x22
const openBrace = 0x7b
const closeBrace = 0x7d

/**
 * Removes the schemas from a definition's JSON: the rest parses in a fraction of the time. The quoted member name
 * can't occur inside a string, where quotes are escaped.
 */
export function withoutSchemas(json: string): string {
  let kept = ''
  let from = 0
  for (let at = json.indexOf(member); at >= 0; at = json.indexOf(member, from)) {
    const value = at + member.length
    kept += `${json.slice(from, value)}{}`
    from = endOfObject(json, value)
  }
  return kept + json.slice(from)
}

/** End of the object that starts here or after here. */
function endOfObject(json: string, start: number): number {
  let depth = 0
  for (let at = start; at < json.length; at++) {
    const unit = json.charCodeAt(at)
    if (unit === quote) {
      at = endOfString(json, at)
      if (at < 0) break
    } else if (unit === openBrace) depth++
    else if (unit === closeBrace && --depth === 0) return at + 1
  }
  return json.length
}
