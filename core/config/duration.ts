/** Durations of flags and configuration files: Go syntax outside, milliseconds inside. */
import * as go from '../schema/duration.ts'

const nanosecondsPerMillisecond = 1_000_000

/**
 * Milliseconds of a text such as `1m0s` or `300ms`; what is finer becomes a fraction.
 * @throws DecodeError when it is not a duration.
 */
export function parseDuration(text: string): number {
  return Number(go.parseDuration(text)) / nanosecondsPerMillisecond
}

/** The text of so many milliseconds: `90000` is `1m30s`. */
export function formatDuration(milliseconds: number): string {
  return go.formatDuration(BigInt(Math.round(milliseconds * nanosecondsPerMillisecond)))
}
