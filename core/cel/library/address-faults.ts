/** Error texts for malformed addresses, as in Go's net/netip; expressions and clients see them. */
import { quoted } from './quoted.ts'

interface Fault {
  readonly message: string
  /** The rest of the text from the error on. */
  readonly at?: string
}

const isDigit = (character: string) => character >= '0' && character <= '9'

function ipv4Fault(text: string): Fault | undefined {
  let [value, dots, digits] = [0, 0, 0]
  for (let index = 0; index < text.length; index++) {
    const character = text.charAt(index)
    if (isDigit(character)) {
      if (digits === 1 && value === 0) return { message: 'IPv4 field has octet with leading zero' }
      value = value * 10 + Number(character)
      digits++
      if (value > 255) return { message: 'IPv4 field has value >255' }
    } else if (character === '.') {
      if (index === 0 || index === text.length - 1 || text[index - 1] === '.')
        return { message: 'IPv4 field must have at least one digit', at: text.slice(index) }
      if (dots === 3) return { message: 'IPv4 address too long' }
      dots++
      value = 0
      digits = 0
    } else return { message: 'unexpected character', at: text.slice(index) }
  }
  return dots < 3 ? { message: 'IPv4 address too short' } : undefined
}

/** Length of the hexadecimal field at the start, or its error. */
function hexField(rest: string): number | Fault {
  const { length } = /^[0-9a-fA-F]*/.exec(rest)?.[0] ?? ''
  if (length > 4) return { message: 'each group must have 4 or fewer digits', at: rest }
  return length === 0 ? { message: 'each colon-separated field must have at least one digit', at: rest } : length
}

function embeddedFault(rest: string, count: number, ellipsis: boolean): Fault | undefined {
  if (!ellipsis && count !== 12) return { message: 'embedded IPv4 address must replace the final 2 fields of the address', at: rest }
  if (count + 4 > 16) return { message: 'too many hex fields to fit an embedded IPv4 at the end of the address', at: rest }
  return ipv4Fault(rest)
}

/** The rest after the colon that follows a field, or an error. */
function afterField(rest: string): string | Fault {
  if (!rest.startsWith(':')) return { message: 'unexpected character, want colon', at: rest }
  return rest.length === 1 ? { message: 'colon must be followed by more characters', at: rest } : rest.slice(1)
}

function ipv6Fault(text: string): Fault | undefined {
  const percent = text.indexOf('%')
  if (percent !== -1 && percent === text.length - 1) return { message: 'zone must be a non-empty string' }
  let rest = percent === -1 ? text : text.slice(0, percent)
  let ellipsis = rest.startsWith('::')
  if (ellipsis) rest = rest.slice(2)
  if (ellipsis && rest === '') return undefined
  let count = 0
  while (count < 16) {
    const length = hexField(rest)
    if (typeof length === 'object') return length
    if (rest[length] === '.') {
      const fault = embeddedFault(rest, count, ellipsis)
      if (fault) return fault
      count += 4
      rest = ''
      break
    }
    count += 2
    rest = rest.slice(length)
    if (rest === '') break
    const next = afterField(rest)
    if (typeof next === 'object') return next
    rest = next
    if (!rest.startsWith(':')) continue
    if (ellipsis) return { message: 'multiple :: in address', at: rest }
    ellipsis = true
    rest = rest.slice(1)
    if (rest === '') break
  }
  if (rest !== '') return { message: 'trailing garbage after address', at: rest }
  if (count < 16) return ellipsis ? undefined : { message: 'address string too short' }
  return ellipsis ? { message: 'the :: must expand to at least one field of zeros' } : undefined
}

function faultOf(text: string): Fault | undefined {
  const [first] = /[.:%]/.exec(text) ?? []
  if (first === '.') return ipv4Fault(text)
  if (first === ':') return ipv6Fault(text)
  return { message: first === '%' ? 'missing IPv6 address' : 'unable to parse IP' }
}

/** Error for a malformed address. */
export function addressFault(text: string): string {
  const { message, at } = faultOf(text) ?? { message: 'unable to parse IP' }
  return `ParseAddr(${quoted(text)}): ${message}${at === undefined ? '' : ` (at ${quoted(at)})`}`
}

/** Error for a malformed network. */
export function networkFault(text: string): string {
  const slash = text.lastIndexOf('/')
  const fail = (why: string) => `netip.ParsePrefix(${quoted(text)}): ${why}`
  if (slash === -1) return fail("no '/'")
  const [address, bits] = [text.slice(0, slash), text.slice(slash + 1)]
  if (faultOf(address)) return fail(addressFault(address))
  if (address.includes('%')) return fail('IPv6 zones cannot be present in a prefix')
  return fail(/^(0|[1-9][0-9]{0,17})$/.test(bits) ? 'prefix length out of range' : `bad bits after slash: ${quoted(bits)}`)
}
