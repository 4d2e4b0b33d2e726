/** The program: its commands, and the server, which runs until SIGINT or SIGTERM. */
import { writeSync } from 'node:fs'
import { versionText } from '../../../core/config/version.ts'
import { helpText } from '../../../core/flags/help.ts'
import { type ParsedFlags, parseFlags } from '../../../core/flags/parse.ts'
import { messageOf } from '../../../core/schema/message-of.ts'
import { buildInfo } from '../build-info.ts'
import { keepRunning } from '../clock.ts'
import { keepObjectsYoung } from '../observe/young-objects.ts'
import { type Orders, ordersOfThread } from '../workers/orders.ts'
import { runCommand, synopses } from './commands.ts'
import { start } from './daemon.ts'
import { aborted, endingSignal } from './ending-signal.ts'

/** Writes to standard error. Its stream takes milliseconds to load; only a pipe that is full needs it. */
function tell(text: string): void {
  try {
    writeSync(2, text)
  } catch {
    process.stderr.write(text)
  }
}

/** Text to print for `--help` and `--version`; undefined when the server is to run. */
function textOnly(flags: ParsedFlags): string | undefined {
  if (flags.get('help')) return helpText(flags.platform, flags.get('platform'), synopses)
  const version = versionText(flags.get('version'), flags.platform.title, buildInfo())
  return version === undefined ? undefined : `${version}\n`
}

/** What a user does next. */
function hint(flags: ParsedFlags): string {
  const kubeconfig = flags.get('write-kubeconfig')
  return kubeconfig
    ? `try: kubectl --kubeconfig ${kubeconfig} get namespaces`
    : "--write-kubeconfig=FILE writes an administrator's kubeconfig"
}

/** The whole program. Returns the exit status; a server calls `serves` when it is ready and runs until SIGINT or SIGTERM. */
export async function main(argv: readonly string[], program: string, serves: () => void = () => undefined): Promise<number> {
  const orders = ordersOfThread()
  if (orders) return work(orders)
  try {
    const status = await runCommand(argv, program)
    if (status !== undefined) return status
    return await serve(argv[0] === 'help' ? ['--help'] : argv, program, serves)
  } catch (error) {
    process.stderr.write(`error: ${messageOf(error).replaceAll(/\s*\n\s*/g, ' ')}\n`)
    return 1
  }
}

async function work(orders: Orders): Promise<number> {
  const { runWorker } = await import('../workers/worker.ts')
  await runWorker(orders)
  return 0
}

async function serve(argv: readonly string[], program: string, serves: () => void): Promise<number> {
  const flags = parseFlags(argv, program)
  const text = textOnly(flags)
  if (text !== undefined) {
    process.stdout.write(text)
    return 0
  }
  const began = performance.now()
  const ending = endingSignal()
  const end = keepRunning()
  try {
    const daemon = await start(flags, ending, undefined, { argv, program })
    // A part that is still starting, such as a connection to a store that does not answer, can't be told to end.
    if (daemon === undefined) process.exit(0)
    tell(`serving on port ${daemon.port}, ready in ${Math.round(performance.now() - began)} ms; ${hint(flags)}\n`)
    serves()
    keepObjectsYoung()
    await aborted(ending)
    await daemon.stop(String(ending.reason))
    return 0
  } finally {
    end()
  }
}
