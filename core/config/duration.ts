/** Durations in flags and configuration files: Go syntax in text, milliseconds as value. */
import * as go from '../schema/formats/duration.ts'

const nanosecondsPerMillisecond = 1_000_000

/**
 * Parses `1m0s` or `300ms` to milliseconds; finer parts become a fraction.
 * @throws DecodeError when it is not a duration.
 */
export function parseDuration(text: string): number {
  return Number(go.parseDuration(text)) / nanosecondsPerMillisecond
}

/** Formats milliseconds: `90000` is `1m30s`. */
export function formatDuration(milliseconds: number): string {
  return go.formatDuration(BigInt(Math.round(milliseconds * nanosecondsPerMillisecond)))
}
