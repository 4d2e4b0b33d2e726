/** The daemon with only the given flags, as other programs start it and poll until it serves. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { killedAtExit } from './child.ts'
import type { Command } from './daemon.ts'
import { eventually, within } from './wait.ts'

export interface NamedProgram {
  /** Resolves when the probe succeeds; rejects with the log if the program exits before. */
  answers(probe: () => Promise<boolean>): Promise<void>
  stop(): Promise<void>
}

export async function startAs([program, ...args]: Command, flags: readonly string[]): Promise<NamedProgram> {
  const child = killedAtExit(spawn(program, [...args, ...flags], { stdio: ['ignore', 'ignore', 'pipe'] }))
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
