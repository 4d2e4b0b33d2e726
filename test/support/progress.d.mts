export interface Counts {
  readonly passed: number
  readonly failed: number
  readonly files: number
}
export function createProgress(files: number, print?: (line: string) => void): { update(name: number, now: Counts): void; stop(): void }
export function skippedLines(skipped: readonly (readonly [reason: string, names: readonly string[]])[]): string[]
