/** Compares secrets; how long that takes depends on their lengths, not on how much of a guess is right. */
export function sameSecret(a: string, b: string): boolean {
  const [one, other] = [a, b].map((text) => new TextEncoder().encode(text)) as [Uint8Array, Uint8Array]
  let difference = one.length ^ other.length
  for (let at = 0; at < one.length; at++) difference |= (one[at] ?? 0) ^ (other[at] ?? 0)
  return difference === 0
}
