/** Maximum warnings computed per write: they fill the 4 KiB that a response carries (respond/warnings.ts). */
const max = 128

/** Takes the first warnings of a lazy sequence. */
export function boundedWarnings(warnings: Iterable<string>): string[] {
  const kept: string[] = []
  for (const text of warnings) {
    if (kept.push(text) === max) break
  }
  return kept
}
