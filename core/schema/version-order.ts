interface ParsedVersion {
  readonly stability: number
  readonly major: number
  readonly minor: number
}

const pattern = /^v(\d+)(?:(alpha|beta)(\d+))?$/
const stabilities: { readonly [text: string]: number } = { alpha: 0, beta: 1 }

function parse(version: string): ParsedVersion | undefined {
  const found = pattern.exec(version)
  if (!found) return undefined
  return { stability: stabilities[found[2] ?? ''] ?? 2, major: Number(found[1]), minor: Number(found[3] ?? 0) }
}

/**
 * Compares API versions by how much they are to be preferred (API conventions, 'version priority'): stable ones over beta over
 * alpha, then higher numbers; whatever is not written like a version comes last, in the order of the alphabet.
 * Positive when `a` is the better one.
 */
export function compareVersions(a: string, b: string): number {
  const left = parse(a)
  const right = parse(b)
  if (left && right) return left.stability - right.stability || left.major - right.major || left.minor - right.minor
  if (left || right) return left ? 1 : -1
  return a < b ? 1 : a > b ? -1 : 0
}
