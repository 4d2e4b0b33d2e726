/** Validation of the options of the package's functions: tables of rows, one per option (option-types.ts). */
import { once } from '../common/once.ts'
import { createPlatform, type Platform } from '../platform.ts'
import { type OptionProblem, type OptionRows, shape } from './types.ts'

/** Invalid options. The message is one line that names the function, each option, and what is wrong with it. */
export class OptionError extends Error {
  override readonly name = 'OptionError'
  /** Each with the path of the option, such as `tokens[0].user`; empty: the options as a whole. */
  readonly problems: readonly { readonly option: string; readonly message: string }[]
  constructor(caller: string, problems: readonly OptionProblem[]) {
    const named = problems.map(({ at, message }) => ({ option: at.replace(/^\./, ''), message }))
    super(`${caller}: ${named.map(({ option, message }) => (option === '' ? `options ${message}` : `${option}: ${message}`)).join('; ')}`)
    this.problems = named
  }
}

export interface OptionContext<T> {
  /** Names of required options. */
  readonly required?: readonly string[]
  /** Names in gates, APIs and media types; default: those of `createPlatform()`. */
  readonly platform?: Platform
  /** Rules between options, applied when each is valid by itself. */
  readonly conflicts?: (given: T) => readonly OptionProblem[]
}

const usualPlatform = once(() => createPlatform())

/**
 * Validates options by their table; an option that is undefined counts as absent. `caller` is the name of the public function.
 * @throws OptionError with all problems.
 */
export function validateOptions<T>(caller: string, rows: OptionRows, given: T, context: OptionContext<T> = {}): void {
  const { required = [], platform = usualPlatform(), conflicts } = context
  const problems = shape(rows, required)(given, platform)
  const all = problems.length === 0 && conflicts ? conflicts(given) : problems
  if (all.length > 0) throw new OptionError(caller, all)
}
