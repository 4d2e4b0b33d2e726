/** Letters and digits that form no words and are not mistaken for one another. */
const alphabet = 'bcdfghjklmnpqrstvwxz2456789'
const suffixLength = 5
const longestBase = 63 - suffixLength

/** `generateName` with a random suffix of five characters; the base is cut so that the result is a label. */
export function generateName(base: string): string {
  const random = crypto.getRandomValues(new Uint8Array(suffixLength))
  return base.slice(0, longestBase) + Array.from(random, (byte) => alphabet[byte % alphabet.length]).join('')
}
