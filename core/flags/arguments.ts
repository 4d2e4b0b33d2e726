/** Splits a command line into flags and their unparsed values, with the grammar of Go's pflag. */
import { cac } from 'cac'
import { FlagError } from './flag.ts'
import { type FlagName, type Flags, flagGroups, flags } from './rows/index.ts'
import { closestFlag, findFlagAnywhere } from './spelling.ts'

/** One occurrence of a flag. */
interface Use {
  readonly name: FlagName
  /** The name as the user wrote it. */
  readonly spelling: string
  readonly alias: boolean
  readonly text: string
}

export interface Arguments {
  /** The unparsed values of each flag, in order. */
  readonly texts: ReadonlyMap<FlagName, readonly string[]>
  /** The last spelling of each flag. */
  readonly spellings: ReadonlyMap<FlagName, string>
  /** Spellings that only some platforms accept, with their flag. */
  readonly aliases: readonly (readonly [spelling: string, name: FlagName])[]
}

const shorts = new Map(
  flagGroups.flatMap((group) => Object.entries(group.flags).flatMap(([name, { short }]) => (short ? [[short, name] as const] : []))),
)

function unknown(spelling: string): FlagError {
  const close = closestFlag(spelling)
  return new FlagError(`unknown flag: --${spelling}${close === undefined ? '' : ` (did you mean --${close}?)`}`)
}

/** Parses flags one by one; `next` takes the following argument as value. */
function* readUses(argv: readonly string[]): Generator<Use> {
  let at = 0
  const use = (spelling: string, dashes: string, attached: string | undefined): Use => {
    const found = findFlagAnywhere(spelling)
    if (!found) throw unknown(spelling)
    const text = attached ?? flags[found.name].type.bare ?? argv[at++]
    if (text === undefined) throw new FlagError(`flag needs an argument: ${dashes}${spelling}`)
    return { ...found, spelling, text }
  }
  while (at < argv.length) {
    const argument = argv[at++] ?? ''
    if (argument === '--') {
      const rest = argv[at]
      if (rest !== undefined) throw new FlagError(`unexpected argument ${JSON.stringify(rest)}: only flags are accepted`)
      return
    }
    if (argument.startsWith('--')) {
      const end = argument.indexOf('=')
      const spelling = argument.slice(2, end === -1 ? undefined : end)
      if (spelling === '' || spelling.startsWith('-')) throw new FlagError(`bad flag syntax: ${argument}`)
      yield use(spelling, '--', end === -1 ? undefined : argument.slice(end + 1))
    } else if (argument.length > 1 && argument.startsWith('-')) {
      yield* readShorts(argument.slice(1), use)
    } else {
      throw new FlagError(`unexpected argument ${JSON.stringify(argument)}: only flags are accepted`)
    }
  }
}

/** Parses `-h`, `-v4`, `-v=4`, `-v 4`, and combined short flags if only the last one has a value. */
function* readShorts(letters: string, use: (spelling: string, dashes: string, attached: string | undefined) => Use): Generator<Use> {
  for (let index = 0; index < letters.length; index++) {
    const letter = letters[index] ?? ''
    const name = shorts.get(letter)
    if (name === undefined) throw new FlagError(`unknown shorthand flag: ${JSON.stringify(letter)} in -${letters}`)
    const rest = letters.slice(index + 1)
    if (rest.startsWith('=')) return yield use(name, '-', rest.slice(1))
    if (flags[name as keyof Flags].type.bare === undefined) return yield use(name, '-', rest === '' ? undefined : rest)
    yield use(name, '-', undefined)
  }
}

/**
 * The values of a command line, by flag. cac collects them; each is passed as `--name==text`, because cac leaves values that start
 * with `=` unchanged (it would turn `010` into a number, and treat a value that starts with `-` as a flag).
 * @throws FlagError for unknown flags, missing values and positional arguments.
 */
export function splitArguments(argv: readonly string[]): Arguments {
  const uses = [...readUses(argv)]
  const names = [...new Set(uses.map((use) => use.name))]
  const cli = cac('flags')
  for (const name of names) cli.option(`--${name} <text>`, '')
  const { options } = cli.parse(['', '', ...uses.map(({ name, text }) => `--${name}==${text}`)], { run: false })
  const collected = names.map((name, index): [FlagName, readonly string[]] => {
    const value: unknown = options[cli.globalCommand.options[index]?.name ?? name]
    return [name, [value].flat().map((text) => String(text).slice(1))]
  })
  return {
    texts: new Map(collected),
    spellings: new Map(uses.map(({ name, spelling }) => [name, spelling])),
    aliases: uses.filter((use) => use.alias).map(({ spelling, name }) => [spelling, name]),
  }
}
