import { once } from 'node:events'
import { chmodSync, lstatSync, unlinkSync } from 'node:fs'
import { FlagError } from '../../../core/flags/flag.ts'
import { reasonOf } from '../../atomic-file.ts'
import { plainServer } from './plain.ts'

/** Removes a socket that another process has left behind; any other file stays, and is in the way. */
function removeSocket(path: string): void {
  try {
    if (lstatSync(path).isSocket()) unlinkSync(path)
  } catch {
    // Listening has the reason, if there is one.
  }
}

/**
 * Serves what is below `/debug/` on the Unix socket of `--debug-socket-path`, which only its owner may open. The returned function closes it.
 * Rejects with a FlagError when it can't be opened.
 */
export async function openDebugSocket(path: string | undefined, answer: (request: Request) => Promise<Response>): Promise<() => void> {
  if (!path) return () => {}
  removeSocket(path)
  const server = plainServer(answer)
  // The socket file is made while `listen` runs, so that nobody can open it before its mode is set.
  const mask = process.umask(0o177)
  try {
    const listening = once(server, 'listening')
    server.listen(path)
    await listening
    chmodSync(path, 0o600)
  } catch (error) {
    throw new FlagError(`--debug-socket-path: ${path}: ${reasonOf(error)}`)
  } finally {
    process.umask(mask)
  }
  server.unref()
  return () => {
    server.closeAllConnections()
    server.close()
  }
}
