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
 * Compares API versions by priority (API conventions, 'version priority'): stable before beta before
 * alpha, then higher numbers first; other strings last, alphabetically.
 * Positive when `a` has the higher priority.
 */
export function compareVersions(a: string, b: string): number {
  const left = parse(a)
  const right = parse(b)
  if (left && right) return left.stability - right.stability || left.major - right.major || left.minor - right.minor
  if (left || right) return left ? 1 : -1
  return a < b ? 1 : a > b ? -1 : 0
}
