/** Letters and digits that form no words and are not mistaken for one another. */
const alphabet = 'bcdfghjklmnpqrstvwxz2456789'
const suffixLength = 5
const longestBase = 63 - suffixLength

/** `generateName` with a random suffix of five characters; the base is cut so that the result is a label. */
export function generateName(base: string): string {
  // Runtimes make these in batches, and ask the system for other random bytes each time. The first twelve digits are all random.
  const random = crypto.randomUUID().replace('-', '')
  let name = base.slice(0, longestBase)
  for (let at = 0; at < suffixLength; at++) name += alphabet[Number.parseInt(random.slice(2 * at, 2 * at + 2), 16) % alphabet.length]
  return name
}
