/** An external signer of service account tokens in a separate process. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { killedAtExit } from './child.ts'
import { nodeArguments } from './root.ts'
import { within } from './wait.ts'

export interface Signer {
  readonly unixSocket: string
  /** Sends a command; resolves to the number of FetchKeys calls so far. */
  tell(command: string): Promise<number>
  stop(): Promise<void>
}

/** Starts one on a socket in the directory. */
export async function startSigner(directory: string, name: string, maxSeconds = 7200): Promise<Signer> {
  const program = nodeArguments(new URL('../runtimes/node/signer-service.ts', import.meta.url))
  const unixSocket = join(directory, name)
  const child = killedAtExit(spawn(process.execPath, [...program, unixSocket, String(maxSeconds)], { stdio: ['pipe', 'pipe', 'inherit'] }))
  const ended = once(child, 'close')
  const line = async () => String((await within('answer of the signer', once(child.stdout, 'data')))[0]).trim()
  await line()
  return {
    unixSocket,
    async tell(command) {
      const answer = line()
      child.stdin.write(`${command}\n`)
      return Number((await answer).split(' ')[1])
    },
    async stop() {
      child.kill()
      await ended
    },
  }
}
