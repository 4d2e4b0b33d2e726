/** Warnings of a write that are worked out: a response carries 4 KiB of them (respond/warnings.ts), which so many fill. */
const most = 128

/** The first of warnings that are worked out one by one, so that many cost no more than a response can tell. */
export function boundedWarnings(warnings: Iterable<string>): string[] {
  const kept: string[] = []
  for (const text of warnings) {
    if (kept.push(text) === most) break
  }
  return kept
}
