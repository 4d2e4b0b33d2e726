/** Flags of a command that has others than the server, as rows: their values, and the text of its help. */
import { type Flag, type FlagContext, FlagError } from '../../../core/flags/flag.ts'
import { createPlatform } from '../../../core/platform.ts'

export interface FlagRows {
  readonly [name: string]: Flag
}

type Value<F> = F extends Flag<infer V> ? V : never

export interface FlagValues<R extends FlagRows> {
  get<N extends keyof R & string>(name: N): Value<R[N]>
  isSet(name: keyof R & string): boolean
}

const platform = createPlatform('kubernetes')
const context: FlagContext = { platform, platformName: 'kubernetes', given: () => [] }

/** The value of a flag from its text. @throws FlagError that names the flag. */
export const readFlag = (row: Flag, name: string, text: string): unknown => row.read(name, [text], platform)

/**
 * The values of a command line, with one dash or two as Go's flags have them. `given`: values from elsewhere, which those of the command line
 * replace. @throws FlagError.
 */
export function readFlags<R extends FlagRows>(
  rows: R,
  argv: readonly string[],
  given: ReadonlyMap<string, unknown> = new Map(),
): FlagValues<R> {
  const values = new Map(given)
  for (let at = 0; at < argv.length; at++) {
    const argument = argv[at] ?? ''
    const [, spelling = '', attached] = /^--?([^=]+)(?:=(.*))?$/s.exec(argument) ?? []
    if (spelling === '') throw new FlagError(`unexpected argument ${JSON.stringify(argument)}: only flags are accepted`)
    const name = spelling === 'h' ? 'help' : spelling
    const row = Object.hasOwn(rows, name) ? rows[name] : undefined
    if (row === undefined) throw new FlagError(`unknown flag: --${name}`)
    const text = attached ?? row.type.bare ?? argv[++at]
    if (text === undefined) throw new FlagError(`flag needs an argument: --${name}`)
    values.set(name, readFlag(row, name, text))
  }
  return {
    get: (name) => (values.has(name) ? values.get(name) : rows[name]!.initial(context)) as Value<R[typeof name]>,
    isSet: (name) => values.has(name),
  }
}

/** The flags with what they mean and their defaults. */
export function flagsHelp(rows: FlagRows): string {
  const entries = Object.entries(rows).map(([name, { type, help, initial }]) => {
    const value = initial(context)
    const text = value === undefined || value === false || value === '' ? '' : type.show(value)
    const label = type.label === '' ? '' : ` ${type.label}`
    return `      --${name}${label}\n          ${help}${text === '' ? '' : ` (default ${text})`}\n`
  })
  return entries.join('')
}
