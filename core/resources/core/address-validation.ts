import type { FieldErrors } from '../../schema/field-error.ts'
import type { FieldPath } from '../../schema/field-path.ts'
import { type Address, parseAddress } from '../../schema/formats/ip.ts'

/** IANA special-purpose ranges without meaning beyond a node or link. */
const kinds: readonly {
  readonly says: (text: string) => string
  readonly holds: (address: Address, v4: readonly number[] | undefined) => boolean
}[] = [
  { says: (text) => `may not be unspecified (${text})`, holds: ({ bytes }, v4) => (v4 ?? bytes).every((byte) => byte === 0) },
  {
    says: () => 'may not be in the loopback range (127.0.0.0/8, ::1/128)',
    holds: ({ bytes }, v4) => (v4 ? v4[0] === 127 : bytes.every((byte, index) => byte === (index === 15 ? 1 : 0))),
  },
  {
    says: () => 'may not be in the link-local range (169.254.0.0/16, fe80::/10)',
    holds: ({ bytes }, v4) => (v4 ? v4[0] === 169 && v4[1] === 254 : bytes[0] === 0xfe && ((bytes[1] ?? 0) & 0xc0) === 0x80),
  },
  {
    says: () => 'may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)',
    holds: ({ bytes }, v4) => (v4 ? v4[0] === 224 && v4[1] === 0 && v4[2] === 0 : bytes[0] === 0xff && ((bytes[1] ?? 0) & 0x0f) === 2),
  },
]

/** The address must be routable: not unspecified, loopback or link-local. */
export function validateOrdinaryAddress(text: string, path: FieldPath, errors: FieldErrors) {
  const address = parseAddress(text)
  if (address === undefined) return errors.invalid(path, text, 'must be a valid IP address')
  const v4 = address.bytes.length === 4 ? address.bytes : address.mapped ? address.bytes.slice(12) : undefined
  for (const { says, holds } of kinds) if (holds(address, v4)) errors.invalid(path, text, says(text))
}
