/** The Huffman code of header strings (RFC 7541, section 5.2 and appendix B). */
import { ConnectionError, errorCodes } from './errors.ts'

const endOfString = 256

/**
 * Symbols by the length of their codes, in the order of these. The code is canonical: the first is zero, each other one is the one before
 * plus one, with zeros appended where the length grows.
 */
const lengths: readonly (readonly [bits: number, symbols: string | readonly number[]])[] = [
  [5, '012aceiost'],
  [6, ' %-./3456789=A_bdfghlmnpru'],
  [7, ':BCDEFGHIJKLMNOPQRSTUVWYjkqvwxyz'],
  [8, '&*,;XZ'],
  [10, '!"()?'],
  [11, "'+|"],
  [12, '#>'],
  [13, '\0$@[]~'],
  [14, '^}'],
  [15, '<`{'],
  [19, [92, 195, 208]],
  [20, [128, 130, 131, 162, 184, 194, 224, 226]],
  [21, [153, 161, 167, 172, 176, 177, 179, 209, 216, 217, 227, 229, 230]],
  [22, [129, 132, 133, 134, 136, 146, 154, 156, 160, 163, 164, 169, 170, 173, 178, 181, 185, 186, 187, 189, 190, 196, 198, 228, 232, 233]],
  [
    23,
    [
      1, 135, 137, 138, 139, 140, 141, 143, 147, 149, 150, 151, 152, 155, 157, 158, 165, 166, 168, 174, 175, 180, 182, 183, 188, 191, 197,
      231, 239,
    ],
  ],
  [24, [9, 142, 144, 145, 148, 159, 171, 206, 215, 225, 236, 237]],
  [25, [199, 207, 234, 235]],
  [26, [192, 193, 200, 201, 202, 205, 210, 213, 218, 219, 238, 240, 242, 243, 255]],
  [27, [203, 204, 211, 212, 214, 221, 222, 223, 241, 244, 245, 246, 247, 248, 250, 251, 252, 253, 254]],
  [28, [2, 3, 4, 5, 6, 7, 8, 11, 12, 14, 15, 16, 17, 18, 19, 20, 21, 23, 24, 25, 26, 27, 28, 29, 30, 31, 127, 220, 249]],
  [30, [10, 13, 22, endOfString]],
]

interface Row {
  readonly first: number
  readonly symbols: readonly number[]
}

/** By length: the first code, and the symbols of it and those that follow. */
const rows = new Map<number, Row>()
let next = 0
let bits = 0
for (const [length, symbols] of lengths) {
  next *= 2 ** (length - bits)
  bits = length
  rows.set(length, { first: next, symbols: typeof symbols === 'string' ? [...Buffer.from(symbols, 'latin1')] : symbols })
  next += symbols.length
}

const longestCode = 30
const longestPadding = 7

/**
 * Octets as characters of Latin-1.
 * @throws ConnectionError for padding that is too long or not of ones, and for the end of a string within one.
 */
export function huffmanDecoded(bytes: Uint8Array): string {
  const decoded: number[] = []
  let code = 0
  let length = 0
  for (const byte of bytes)
    for (let mask = 0x80; mask > 0; mask >>= 1) {
      code = code * 2 + (byte & mask ? 1 : 0)
      length++
      const row = rows.get(length)
      const symbol = row?.symbols[code - row.first]
      if (symbol === endOfString || length > longestCode)
        throw new ConnectionError(errorCodes.compressionError, 'a header has a wrong code')
      if (symbol === undefined) continue
      decoded.push(symbol)
      code = 0
      length = 0
    }
  if (length > longestPadding || code !== 2 ** length - 1)
    throw new ConnectionError(errorCodes.compressionError, 'a header is badly padded')
  return Buffer.from(decoded).toString('latin1')
}
