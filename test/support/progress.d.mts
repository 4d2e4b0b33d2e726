export interface Counts {
  readonly passed: number
  readonly failed: number
}
export function createProgress(print?: (line: string) => void): { update(name: number, now: Counts): void; stop(): void }
export function skippedLines(skipped: readonly (readonly [reason: string, names: readonly string[]])[]): string[]
