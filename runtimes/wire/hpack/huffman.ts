/** The Huffman code of header strings (RFC 7541, section 5.2 and appendix B). */
import { ConnectionError, errorCodes } from '../errors.ts'

const endOfString = 256
/** Nodes of the decoding tree of this code. */
const treeNodes = 15

/**
 * Symbols by length of their code words, in the order of the code words. The code is canonical: the first code word is zero, each
 * following one is its predecessor plus one, shifted left where the length grows.
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

/** Code word and its length in bits, by symbol. */
const codes = new Uint32Array(257)
const codeLengths = new Uint8Array(257)

/**
 * Decoding tree that consumes eight bits per step: 256 cells per node. A cell is 0 (invalid code), the number of the next node, or a leaf:
 * the symbol in the low byte, and above it how many of the eight bits belong to its code word.
 */
const tree = new Uint16Array(treeNodes * 256)
let nodes = 1
const leaf = 0x8000
const leafLength = (cell: number) => (cell >> 8) & 0xf

function plant(symbol: number, code: number, bits: number): void {
  let node = 0
  let left = bits
  for (; left > 8; left -= 8) {
    const at = node * 256 + ((code >>> (left - 8)) & 0xff)
    if (tree[at] === 0) tree[at] = nodes++
    node = tree[at] as number
  }
  const first = (code << (8 - left)) & 0xff
  tree.fill(leaf | (left << 8) | symbol, node * 256 + first, node * 256 + first + (1 << (8 - left)))
}

let next = 0
let length = 0
for (const [bits, symbols] of lengths) {
  next *= 2 ** (bits - length)
  length = bits
  for (const symbol of typeof symbols === 'string' ? Buffer.from(symbols, 'latin1') : symbols) {
    codes[symbol] = next
    codeLengths[symbol] = bits
    // EOS in a string is an error, so the tree does not have it.
    if (symbol !== endOfString) plant(symbol, next, bits)
    next++
  }
}

const wrongCode = () => new ConnectionError(errorCodes.compressionError, 'invalid Huffman code in a header')
const badPadding = () => new ConnectionError(errorCodes.compressionError, 'invalid Huffman padding in a header')
const maxPaddingBits = 7

/**
 * Decodes to a Latin-1 string.
 * @throws ConnectionError for an invalid code, the EOS symbol, and padding of more than seven bits or with zeros.
 */
export function huffmanDecoded(bytes: Uint8Array, start = 0, end = bytes.length): string {
  // The shortest codes have five bits.
  const decoded = Buffer.allocUnsafe(Math.ceil(((end - start) * 8) / 5))
  let size = 0
  let node = 0
  /** Bit buffer; its lowest `count` bits are still to decode. */
  let window = 0
  let count = 0
  /** Bits since the last symbol; at the end they are padding. */
  let since = 0
  for (let at = start; at < end; at++) {
    window = ((window << 8) | (bytes[at] as number)) & 0xffff
    count += 8
    since += 8
    while (count >= 8) {
      const cell = tree[node + ((window >> (count - 8)) & 0xff)] as number
      if (cell === 0) throw wrongCode()
      if (cell < leaf) {
        node = cell * 256
        count -= 8
      } else {
        decoded[size++] = cell & 0xff
        count -= leafLength(cell)
        since = count
        node = 0
      }
    }
  }
  while (count > 0) {
    const cell = tree[node + ((window << (8 - count)) & 0xff)] as number
    if (cell < leaf || leafLength(cell) > count) break
    decoded[size++] = cell & 0xff
    count -= leafLength(cell)
    since = count
    node = 0
  }
  if (since > maxPaddingBits || (window & ((1 << count) - 1)) !== (1 << count) - 1) throw badPadding()
  return decoded.toString('latin1', 0, size)
}

/** Bytes that a Latin-1 text has when encoded. */
export function huffmanLength(text: string): number {
  let bits = 0
  for (let i = 0; i < text.length; i++) bits += codeLengths[text.charCodeAt(i)] as number
  return (bits + 7) >> 3
}

/** Encodes a Latin-1 text into `bytes` at `start`; returns the offset after it. */
export function huffmanWrite(text: string, bytes: Uint8Array, start: number): number {
  let at = start
  /** The last `count` bits, which do not fill a byte yet. */
  let rest = 0
  let count = 0
  for (let i = 0; i < text.length; i++) {
    const symbol = text.charCodeAt(i)
    const code = codes[symbol] as number
    let left = codeLengths[symbol] as number
    while (left > 0) {
      const taken = Math.min(8 - count, left)
      left -= taken
      rest = (rest << taken) | ((code >>> left) & ((1 << taken) - 1))
      count += taken
      if (count < 8) continue
      bytes[at++] = rest
      rest = 0
      count = 0
    }
  }
  if (count > 0) bytes[at++] = (rest << (8 - count)) | (0xff >> count)
  return at
}
