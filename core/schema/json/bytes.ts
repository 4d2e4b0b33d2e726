/** Characters of JSON as bytes of UTF-8. */
export const quote = 0x22
export const comma = 0x2c
export const minus = 0x2d
export const zero = 0x30
export const colon = 0x3a
export const openBracket = 0x5b
export const backslash = 0x5c
export const closeBracket = 0x5d
export const firstOfNull = 0x6e
export const firstOfTrue = 0x74
export const letterU = 0x75
export const openBrace = 0x7b
export const closeBrace = 0x7d
