/** The command line of a server: help, version, or a server, which runs until SIGINT or SIGTERM. */
import { versionText } from '../../../core/config/version.ts'
import { helpText } from '../../../core/flags/help.ts'
import { type ParsedFlags, parseFlags } from '../../../core/flags/parse.ts'
import { buildInfo } from '../build-info.ts'
import { keepRunning } from '../clock.ts'
import { keepObjectsYoung } from '../observe/young-objects.ts'
import { synopses } from './commands.ts'
import { start } from './daemon.ts'
import { aborted, endingSignal } from './ending-signal.ts'
import { print } from './print.ts'

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

/** Returns the exit status; a server calls `serves` when it is ready. */
export async function serve(argv: readonly string[], program: string, serves: () => void): Promise<number> {
  const flags = parseFlags(argv, program)
  const text = textOnly(flags)
  if (text !== undefined) {
    print(1, text)
    return 0
  }
  const began = performance.now()
  const ending = endingSignal()
  const end = keepRunning()
  try {
    const daemon = await start(flags, ending, undefined, { argv, program })
    // A part that is still starting, such as a connection to a store that does not answer, can't be told to end.
    if (daemon === undefined) process.exit(0)
    print(2, `serving on port ${daemon.port}, ready in ${Math.round(performance.now() - began)} ms; ${hint(flags)}\n`)
    serves()
    keepObjectsYoung()
    await aborted(ending)
    await daemon.stop(String(ending.reason))
    return 0
  } finally {
    end()
  }
}
