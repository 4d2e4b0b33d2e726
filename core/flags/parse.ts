/** Parses a command line to values, or throws a one-line error. */
import { createPlatform, type Platform, platformNames, platformOfProgram } from '../platform.ts'
import { type Arguments, splitArguments } from './arguments.ts'
import { type FlagContext, FlagError } from './flag.ts'
import { type FlagName, type FlagValue, flags, isFlagName } from './rows/index.ts'
import { findFlag } from './spelling.ts'

export interface ParsedFlags {
  /** Names selected by --platform, --platform-domain and the program's name. */
  readonly platform: Platform
  /** The value or default of a flag; undefined only for flags without a default. */
  get<N extends FlagName>(name: N): FlagValue<N>
  /** Whether the command line sets the flag, even to its default. */
  isSet(name: FlagName): boolean
  /** The user's spelling of the flag, with dashes. */
  spelling(name: FlagName): string
  /** One line each, without line feed. */
  readonly warnings: readonly string[]
}

/** `/usr/local/bin/apiserver` and `apiserver.exe` become `apiserver`. */
const programName = (program: string) => program.replace(/^.*[\\/]/, '').replace(/\.exe$/i, '')

function choosePlatform({ texts }: Arguments, program: string): FlagContext {
  const initial = platformOfProgram(programName(program)) ?? 'platform'
  const provisional = createPlatform(initial)
  const [named, domain] = [texts.get('platform'), texts.get('platform-domain')]
  const platformName = named ? flags.platform.read('platform', named, provisional) : initial
  return {
    platformName,
    platform: createPlatform(platformName, domain && flags['platform-domain'].read('platform-domain', domain, provisional)),
    given: (name) => (isFlagName(name) ? (texts.get(name) ?? []) : []),
  }
}

/** Says when a spelling of other platforms is accepted, and how the flag is spelt on all of them. */
function aliasRule(spelling: string, name: FlagName): string {
  const accepting = platformNames.filter((each) => findFlag(spelling, createPlatform(each)) !== undefined)
  return `only with --platform=${accepting.join(' or ')}; with any platform it is --${name}`
}

function warningsFor({ texts, spellings }: Arguments): readonly string[] {
  return [...texts.keys()].flatMap((name) => {
    const { deprecated } = flags[name]
    return deprecated === undefined ? [] : [`--${spellings.get(name) ?? name} is deprecated: ${deprecated}`]
  })
}

/**
 * Parses a command line without the program; `program` is the name it was started under.
 * exclusions.ts validates combinations of flags.
 * @throws FlagError with one line that names the flag.
 */
export function parseFlags(argv: readonly string[], program: string): ParsedFlags {
  const given = splitArguments(argv)
  const context = choosePlatform(given, program)
  const { platform } = context
  for (const [spelling, name] of given.aliases) {
    if (findFlag(spelling, platform) === undefined) throw new FlagError(`unknown flag: --${spelling} (${aliasRule(spelling, name)})`)
  }
  const values = new Map<FlagName, unknown>()
  for (const [name, texts] of given.texts) values.set(name, flags[name].read(given.spellings.get(name) ?? name, texts, platform))
  return {
    platform,
    get: <N extends FlagName>(name: N) => (values.has(name) ? values.get(name) : flags[name].initial(context)) as FlagValue<N>,
    isSet: (name) => values.has(name),
    spelling: (name) => `--${given.spellings.get(name) ?? name}`,
    warnings: warningsFor(given),
  }
}
