/** The log that the flags ask for. */
import type { ParsedFlags } from '../../../core/flags/parse.ts'
import type { Telemetry } from '../../../core/ports.ts'
import { nodeClock } from '../clock.ts'
import { logFilesBelow } from './files.ts'
import { jsonFormat, textFormat } from './formats.ts'
import { createLog } from './logger.ts'
import { type LogOutput, oneStream, splitStreams } from './output.ts'
import { parsePatterns, Verbosity } from './verbosity.ts'

const logDirectory = '/var/log'

function outputOf(flags: ParsedFlags): LogOutput {
  const format = flags.get('logging-format')
  if (!flags.get(`log-${format}-split-stream`)) return oneStream
  return splitStreams(flags.get(`log-${format}-info-buffer-size`), flags.get('log-flush-frequency'))
}

/** `output`: where the lines go; default: where the flags send them. */
export function logOfFlags(flags: ParsedFlags, output = outputOf(flags)): Pick<Telemetry, 'logger' | 'setVerbosity' | 'logFiles'> {
  const verbosity = new Verbosity(flags.get('v'), parsePatterns(flags.get('vmodule') ?? ''))
  const format = flags.get('logging-format') === 'json' ? jsonFormat() : textFormat(process.pid)
  const logger = createLog({ format, output, verbosity, now: nodeClock.now })
  return {
    logger,
    setVerbosity(level) {
      verbosity.level = level
    },
    ...(flags.get('enable-logs-handler') && { logFiles: logFilesBelow(logDirectory) }),
  }
}
