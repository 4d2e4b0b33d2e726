import { writeSync } from 'node:fs'

/** Writes to standard output (1) or error (2). Their streams take milliseconds to load; only a pipe that is full or closed needs them. */
export function print(descriptor: 1 | 2, text: string): void {
  const bytes = Buffer.from(text)
  let written = 0
  try {
    while (written < bytes.length) written += writeSync(descriptor, bytes, written)
  } catch {
    const stream = descriptor === 1 ? process.stdout : process.stderr
    stream.write(bytes.subarray(written))
  }
}
