/** Characters that form no words and are not easily confused. */
const alphabet = 'bcdfghjklmnpqrstvwxz2456789'
const suffixLength = 5
const maxBaseLength = 63 - suffixLength

/** Appends a random suffix of five characters; the base is truncated so that the result is a valid label. */
export function generateName(base: string): string {
  // Runtimes generate UUIDs in batches, but other random bytes with a system call each. The last twelve digits are all random.
  const random = crypto.randomUUID()
  let suffix = ''
  for (let at = random.length - 2 * suffixLength; at < random.length; at += 2)
    suffix += alphabet[(digitAt(random, at) * 16 + digitAt(random, at + 1)) % alphabet.length]
  return base.slice(0, maxBaseLength) + suffix
}

/** The value of a hexadecimal digit in lower case. */
function digitAt(text: string, at: number): number {
  const code = text.charCodeAt(at)
  return code < 0x3a ? code - 0x30 : code - 0x57
}
