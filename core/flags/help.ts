/** Generates the text of `--help` from the flags. */
import type { Platform, PlatformName } from '../platform.ts'
import type { Flag, FlagContext } from './flag.ts'
import { flagGroups } from './rows/index.ts'
import { aliasesOf } from './spelling.ts'

const width = 100
const indent = ' '.repeat(10)

function wrap(text: string): string {
  const lines: string[] = []
  let line = indent
  // Keep a default in one piece.
  for (const word of text.split(/(?<!\(default) /)) {
    if (line !== indent && line.length + 1 + word.length > width) {
      lines.push(line)
      line = indent
    }
    line += line === indent ? word : ` ${word}`
  }
  return [...lines, line].join('\n')
}

function defaultText(row: Flag, context: FlagContext): string {
  const value = row.initial(context)
  if (value === undefined || value === false || value === '') return ''
  const text = row.type.show(value)
  return text === '' ? '' : ` (default ${text})`
}

function entry(name: string, row: Flag, context: FlagContext): string {
  const names = [
    ...(row.short === undefined ? [] : [`-${row.short}`]),
    ...[name, ...aliasesOf(name, context.platform)].map((each) => `--${each}`),
  ]
  const optional = row.type.bare !== undefined && row.type.label !== ''
  const label = row.type.label === '' ? '' : optional ? `[=${row.type.label}]` : ` ${row.type.label}`
  const first = `${row.short === undefined ? '      ' : '  '}${names.join(', ')}${label}`
  const note = row.deprecated === undefined ? '' : ` Deprecated: ${row.deprecated}.`
  return `${first}\n${wrap(context.platform.name(`${row.help}${defaultText(row, context)}${note}`))}`
}

/** How a command is called, after the name of the program, and what it does, in one sentence. */
export type Synopsis = readonly [usage: string, about: string]

/** All flags by group, with defaults, at most 100 columns wide. `synopses`: those of the program's commands. */
export function helpText(platform: Platform, platformName: PlatformName = 'platform', synopses: readonly Synopsis[] = []): string {
  const context: FlagContext = { platform, platformName, given: () => [] }
  const groups = flagGroups.map(({ title, flags }) => {
    const entries = Object.entries(flags).map(([name, row]) => entry(name, row, context))
    return `${title} flags:\n\n${entries.join('\n')}`
  })
  const program = platform.programs[0] ?? 'apiserver'
  const commands = [
    `${program} [flags]`,
    ...synopses.flatMap(([usage, about]) => [`${program} ${usage}`, `    ${about}`]),
    `${program} help COMMAND`,
    '    Show all flags of a command.',
  ]
  const about = 'Serves the API of a container-orchestration control plane: validates, stores and serves its objects.'
  const usage = `${about}\n\nUsage:\n${commands.map((line) => `  ${line}`).join('\n')}`
  return `${[usage, ...groups].join('\n\n')}\n`
}
