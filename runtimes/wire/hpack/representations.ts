/** Prefixes of field representations: flag bits, and size in bits of the integer in the same byte (RFC 7541, sections 5.2 and 6). */
export interface Start {
  readonly flag: number
  readonly bits: number
}

export const representations = {
  indexed: { flag: 0x80, bits: 7 },
  added: { flag: 0x40, bits: 6 },
  tableSize: { flag: 0x20, bits: 5 },
  literal: { flag: 0, bits: 4 },
  plain: { flag: 0, bits: 7 },
  huffman: { flag: 0x80, bits: 7 },
} as const satisfies Record<string, Start>
