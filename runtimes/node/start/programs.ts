/** What the program is, by its name and its arguments: known before anything of it is loaded. */

/** Commands that are programs of their own, too: the program is that command when it is started under its name, and a bundle has only that. */
const programs = ['etcd'] as const

/** `etcd`, or the server and all other commands. */
export type Role = (typeof programs)[number] | 'server'

/** The arguments with the command that the program's name stands for in front. */
export function withCommand(argv: readonly string[], program: string): readonly string[] {
  const name = programs.find((each) => each === program.replace(/\.exe$/i, ''))
  return name === undefined ? argv : [name, ...argv]
}

export const roleOf = (argv: readonly string[], program: string): Role =>
  programs.find((each) => each === withCommand(argv, program)[0]) ?? 'server'
