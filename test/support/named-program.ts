/** The daemon with nothing but the flags given, as other programs start it: they know that it serves by asking it. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Command } from './daemon.ts'
import { eventually, within } from './wait.ts'

export interface NamedProgram {
  /** Resolves once the probe holds; fails with the log when the program ends before. */
  answers(probe: () => Promise<boolean>): Promise<void>
  stop(): Promise<void>
}

export async function startAs([program, ...args]: Command, flags: readonly string[]): Promise<NamedProgram> {
  const child = spawn(program, [...args, ...flags], { stdio: ['ignore', 'ignore', 'pipe'] })
  const ended = once(child, 'close')
  let log = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    log += text
  })
  return {
    async answers(probe) {
      const gone = ended.then(() => Promise.reject(new Error(`it ended: ${log}`)))
      await Promise.race([eventually('the program serves', probe), gone])
      gone.catch(() => undefined)
    },
    async stop() {
      child.kill('SIGTERM')
      await within('end of the program', ended).catch((error: unknown) => {
        child.kill('SIGKILL')
        throw error
      })
    },
  }
}
