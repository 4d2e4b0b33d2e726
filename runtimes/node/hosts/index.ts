/** `apiserver hosts`: many servers in one process, from its command line to its end. */
import { keepRunning } from '../clock.ts'
import { flagsHelp, readFlags } from '../start/command-flags.ts'
import { aborted, endingSignal } from '../start/ending-signal.ts'
import { nodeLogger } from '../start/ports.ts'
import { hostsFlags } from './flags.ts'
import { startHosts } from './start.ts'

const about = `Usage:
  apiserver hosts [flags]
      Serve many servers on one port, each below /servers/NAME, and below /hosts/v1 an interface that makes and forks them.

`

/** The text of `apiserver hosts --help`. */
export const hostsHelp = (): string => about + flagsHelp(hostsFlags)

/** Runs until SIGINT or SIGTERM; resolves to the exit status. Rejects with a one-line error. */
export async function runHosts(argv: readonly string[]): Promise<number> {
  const flags = readFlags(hostsFlags, argv)
  const ending = endingSignal()
  const end = keepRunning()
  try {
    const server = await startHosts(flags, nodeLogger(0))
    const [token, authority] = [flags.get('token-file'), flags.get('ca-file')]
    process.stderr.write(`serving on ${server.url}; token in ${token}, certificate authority in ${authority}\n`)
    await aborted(ending)
    await server.close()
    return 0
  } finally {
    end()
  }
}
