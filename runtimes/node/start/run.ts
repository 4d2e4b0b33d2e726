/** `apiserver run -- COMMAND`: a command beside a server of its own, such as the tests of a controller in any language. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { constants, tmpdir } from 'node:os'
import { join } from 'node:path'
import { isatty } from 'node:tty'
import { FlagError } from '../../../core/flags/flag.ts'
import { type ParsedFlags, parseFlags } from '../../../core/flags/parse.ts'
import { reasonOf } from '../../atomic-file.ts'
import { keepRunning } from '../clock.ts'
import type { LogOutput } from '../log/output.ts'
import { localAddress } from './address.ts'
import { type Daemon, start } from './daemon.ts'

/** Tries to find a port that is still free when the server listens on it. */
const maxTries = 10
/** Exit statuses of a command that can't be started, as shells have them. */
const [notExecutable, notFound] = [126, 127]

interface Arguments {
  /** Flags of the server. */
  readonly flags: readonly string[]
  /** File of the server's log; undefined: none. */
  readonly log: string | undefined
  readonly serviceEnvironment: boolean
  readonly command: string
  readonly parameters: readonly string[]
}

function argumentsOf(argv: readonly string[]): Arguments {
  const end = argv.indexOf('--')
  const [command, ...parameters] = end === -1 ? [] : argv.slice(end + 1)
  if (command === undefined) throw new FlagError('run: no command; use: run [flags] -- COMMAND [ARGUMENT…]')
  const flags = argv.slice(0, end)
  const isOwn = (argument: string) => argument === '--service-env' || argument.startsWith('--server-log=')
  return {
    flags: flags.filter((argument) => !isOwn(argument)),
    log: flags.findLast((argument) => argument.startsWith('--server-log='))?.slice('--server-log='.length),
    serviceEnvironment: flags.includes('--service-env'),
    command,
    parameters,
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  await once(server.close(), 'close')
  return typeof address === 'object' && address !== null ? address.port : 0
}

/** Flags of a server that lives as long as a command; those of the user come after them. */
const usualFlags = (directory: string, port: number) => [
  '--platform=kubernetes',
  '--bind-address=127.0.0.1',
  `--secure-port=${port}`,
  '--data-dir=:memory:',
  `--cert-dir=${join(directory, 'pki')}`,
  `--write-kubeconfig=${join(directory, 'kubeconfig')}`,
  '--authorization-mode=Node,RBAC',
  '--allow-privileged',
]

/** Appends to a file, or drops all lines. */
function outputTo(file: string | undefined): LogOutput {
  const write = (line: string) => {
    if (file === undefined) return
    try {
      appendFileSync(file, line)
    } catch (error) {
      throw new FlagError(`run: --server-log: ${file}: ${reasonOf(error)}`)
    }
  }
  write('')
  return { write, flush: () => {} }
}

/** Starts the server, on another port when somebody else has taken the one that was free. */
async function startServer(given: Arguments, program: string, directory: string, ending: AbortSignal) {
  const output = outputTo(given.log)
  for (let tries = 1; ; tries++) {
    const flags = parseFlags([...usualFlags(directory, await freePort()), ...given.flags], program)
    try {
      return { flags, daemon: await start(flags, ending, output) }
    } catch (error) {
      const isTaken = error instanceof FlagError && error.message.startsWith('--secure-port: port')
      if (!isTaken || tries === maxTries || given.flags.some((flag) => flag.startsWith('--secure-port'))) throw error
    }
  }
}

function environment(flags: ParsedFlags, { port }: Daemon, withService: boolean): NodeJS.ProcessEnv {
  const service = { KUBERNETES_SERVICE_HOST: localAddress(flags.get('bind-address')), KUBERNETES_SERVICE_PORT: String(port) }
  return { ...process.env, KUBECONFIG: flags.get('write-kubeconfig'), ...(withService && service) }
}

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** As shells have it. */
const statusOfSignal = (signal: NodeJS.Signals) => 128 + constants.signals[signal]

/** The exit status of a command when it has ended. */
async function statusOf(child: ChildProcess, command: string): Promise<number> {
  try {
    const [status, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals]
    return status ?? statusOfSignal(signal)
  } catch (error) {
    process.stderr.write(`error: run: ${command}: ${reasonOf(error)}\n`)
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? notFound : notExecutable
  }
}

/** Runs the command with its arguments; resolves to its exit status when the server has ended, too. Rejects with a one-line error. */
export async function run(argv: readonly string[], program: string): Promise<number> {
  const given = argumentsOf(argv)
  const directory = mkdtempSync(join(tmpdir(), 'apiserver-run-'))
  const ending = new AbortController()
  // What a signal does: it ends the start, and later goes on to the command.
  let act = (signal: NodeJS.Signals) => ending.abort(signal)
  for (const signal of signals) process.on(signal, () => act(signal))
  const end = keepRunning()
  try {
    const { flags, daemon } = await startServer(given, program, directory, ending.signal)
    if (daemon === undefined) return statusOfSignal(ending.signal.reason as NodeJS.Signals)
    try {
      const env = environment(flags, daemon, given.serviceEnvironment)
      const child = spawn(given.command, given.parameters, { stdio: 'inherit', env })
      act = (signal) => {
        // A terminal sends Ctrl-C to both.
        if (signal !== 'SIGINT' || !isatty(0)) child.kill(signal)
      }
      return await statusOf(child, given.command)
    } finally {
      await daemon.stop('the command has ended')
    }
  } finally {
    rmSync(directory, { recursive: true, force: true })
    end()
  }
}
