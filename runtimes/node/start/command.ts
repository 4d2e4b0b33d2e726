/** A program, and a command of it beside the server itself. */
import type { Synopsis } from '../../../core/flags/help.ts'

/** A program. Returns the exit status; a server, of the API or of etcd's, calls `serves` when it is ready and runs until SIGINT or SIGTERM. */
export type Main = (argv: readonly string[], program: string, serves?: () => void) => Promise<number>

export interface Command {
  readonly synopses: readonly Synopsis[]
  /** Further text of the command's help. */
  readonly details?: string
  /** All of the help of a command that has flags of its own. */
  help?(): Promise<string>
  /**
   * Resolves to the exit status; rejects with a one-line error. `program`: the name that the program was started by. A server calls `serves` when
   * it is ready.
   */
  run(argv: readonly string[], program: string, serves: () => void): Promise<number>
}

function helpOf({ synopses, details }: Command, program: string): string {
  const about = synopses.map(([usage, about]) => `  ${program} ${usage}\n      ${about}\n`)
  return `Usage:\n${about.join('')}${details === undefined ? '' : `\n${details}`}`
}

/** Whether help is among the arguments of a command; what follows `--` belongs to somebody else. */
function asksForHelp(argv: readonly string[]): boolean {
  const end = argv.indexOf('--')
  return argv.slice(0, end === -1 ? undefined : end).some((argument) => argument === '--help' || argument === '-h')
}

export async function printHelp(command: Command, program: string): Promise<number> {
  process.stdout.write((await command.help?.()) ?? helpOf(command, program))
  return 0
}

/** Runs the command, or prints its help if the arguments ask for it. Resolves and rejects as `Command.run`. */
export function runOrExplain(command: Command, argv: readonly string[], program: string, serves: () => void): Promise<number> {
  return asksForHelp(argv) ? printHelp(command, program) : command.run(argv, program, serves)
}
