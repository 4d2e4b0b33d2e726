/** Compares secrets in constant time: the duration depends on their lengths only. */
export function sameSecret(a: string, b: string): boolean {
  const [one, other] = [a, b].map((text) => new TextEncoder().encode(text)) as [Uint8Array, Uint8Array]
  let difference = one.length ^ other.length
  for (let at = 0; at < one.length; at++) difference |= (one[at] ?? 0) ^ (other[at] ?? 0)
  return difference === 0
}
