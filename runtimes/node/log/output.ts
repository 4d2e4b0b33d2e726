/** Where log lines go: standard error, or two streams, of which the one for information may be buffered. */
import { writeSync } from 'node:fs'

export interface LogOutput {
  write(line: string, isError: boolean): void
  /** Writes what is buffered. */
  flush(): void
}

const [standardOutput, standardError] = [1, 2]
/** Milliseconds between tries to write to a full pipe, and how many: then the rest of the line is lost. */
const [pause, tries] = [10, 100]
const sleeper = new Int32Array(new SharedArrayBuffer(4))

const codeOf = (error: unknown) => (error as NodeJS.ErrnoException).code

/** Writes before it returns, so that the last words of a process are not lost. */
function writeAll(descriptor: number, bytes: Uint8Array): void {
  let left = tries
  for (let at = 0; at < bytes.length && left > 0; ) {
    try {
      at += writeSync(descriptor, bytes, at)
    } catch (error) {
      // Any other error: nobody reads the log any more.
      if (codeOf(error) !== 'EAGAIN') return
      left--
      Atomics.wait(sleeper, 0, 0, pause)
    }
  }
}

const encoder = new TextEncoder()
const toStream = (descriptor: number, text: string) => writeAll(descriptor, encoder.encode(text))

/** All lines to standard error, unbuffered. */
export const oneStream: LogOutput = {
  write: (line) => toStream(standardError, line),
  flush: () => {},
}

/**
 * Errors to standard error, the rest to standard output, through a buffer of this size in bytes (0: none). The buffer is written when it is full, every
 * `frequency` milliseconds, and at the end of the process.
 */
export function splitStreams(bufferBytes: number, frequency: number): LogOutput {
  let lines: string[] = []
  let held = 0
  const flush = () => {
    if (held === 0) return
    const text = lines.join('')
    lines = []
    held = 0
    toStream(standardOutput, text)
  }
  if (bufferBytes > 0) {
    setInterval(flush, frequency).unref()
    process.on('exit', flush)
  }
  return {
    write(line, isError) {
      if (isError) return toStream(standardError, line)
      const size = Buffer.byteLength(line)
      if (held + size > bufferBytes) flush()
      if (size > bufferBytes) return toStream(standardOutput, line)
      lines.push(line)
      held += size
    },
    flush,
  }
}
