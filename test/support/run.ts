/** Runs a program until it exits. */
import { type SpawnOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import { within } from './wait.ts'

export interface Ended {
  /** null if it was ended by a signal. */
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** `timeout` in milliseconds, default one minute; then the program is killed. */
export async function run(
  program: string,
  args: readonly string[],
  options: Pick<SpawnOptions, 'cwd' | 'env'> = {},
  timeout = 60_000,
): Promise<Ended> {
  const child = spawn(program, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] })
  const output = { stdout: '', stderr: '' }
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output.stdout += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output.stderr += text
  })
  try {
    const [code] = (await within(`end of ${program} ${args.join(' ')}`, once(child, 'close'), timeout)) as [number | null]
    return { code, ...output }
  } finally {
    child.kill('SIGKILL')
  }
}
