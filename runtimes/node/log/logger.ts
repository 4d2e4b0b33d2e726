/** The log of the daemon: klog's lines in text or JSON. */
import type { Logger } from '../../../core/ports.ts'
import { callerOfStack } from './caller.ts'
import type { Format, Severity } from './formats.ts'
import type { LogOutput } from './output.ts'
import type { Verbosity } from './verbosity.ts'

/** Verbosity that debug messages need. */
const debugVerbosity = 4

export interface LogOptions {
  readonly format: Format
  readonly output: LogOutput
  readonly verbosity: Verbosity
  /** Milliseconds since the epoch. */
  readonly now: () => number
}

/** A logger of which the build makes one per log call, with its place (log-callers.mjs). */
export interface PlacedLogger extends Logger {
  at(caller: string): Required<Logger>
}

export function createLog({ format, output, verbosity, now }: LogOptions): PlacedLogger {
  /** `from`: the place of the calls; undefined: by the stack. */
  const placed = (from?: string): Required<Logger> => {
    const ofFile = from === undefined ? undefined : verbosity.ofFile(from)
    const caller = () => from ?? callerOfStack()
    const v = (level: number) =>
      level <= verbosity.level || (verbosity.hasPatterns && level <= (ofFile ?? verbosity.ofFile(callerOfStack())))
    const write = (severity: Severity, needed: number) => (fields: object, text: string) => {
      if (needed > 0 && !v(needed)) return
      output.write(format({ severity, time: now(), caller: caller(), verbosity: needed, fields, text }), severity === 'error')
    }
    return {
      v,
      debug: write('info', debugVerbosity),
      info: write('info', 0),
      warn: write('warning', 0),
      error: write('error', 0),
    }
  }
  const places = new Map<string, Required<Logger>>()
  return {
    ...placed(),
    at(caller) {
      let found = places.get(caller)
      if (found === undefined) {
        found = placed(caller)
        places.set(caller, found)
      }
      return found
    },
  }
}
