/** Characters that form no words and are not easily confused. */
const alphabet = 'bcdfghjklmnpqrstvwxz2456789'
const suffixLength = 5
const longestBase = 63 - suffixLength

/** Appends a random suffix of five characters; the base is truncated so that the result is a valid label. */
export function generateName(base: string): string {
  // Runtimes generate UUIDs in batches, but other random bytes with a system call each. The first twelve digits are all random.
  const random = crypto.randomUUID().replace('-', '')
  let name = base.slice(0, longestBase)
  for (let at = 0; at < suffixLength; at++) name += alphabet[Number.parseInt(random.slice(2 * at, 2 * at + 2), 16) % alphabet.length]
  return name
}
