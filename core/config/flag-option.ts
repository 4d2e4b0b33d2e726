/** Types of options with the bounds of the flags that have the same meaning. */
import type { Platform } from '../platform.ts'
import { type Flag, FlagError } from './flag.ts'
import { type FlagName, flags } from './flags/index.ts'
import { limited, type OptionType, refined } from './option-types.ts'

/** Values of a type that a flag allows. `scale`: units of the flag in one unit of the option, such as 1000 for seconds. */
export function asFlag(name: FlagName, type: OptionType, scale?: number): OptionType {
  const flag: Flag = flags[name]
  return limited(type, (value: unknown) => flag.problem(scale === undefined ? value : Number(value) * scale))
}

/** Values of a type that a parser of flags accepts. */
export function parsed<T>(type: OptionType, parse: (value: T, platform: Platform) => unknown): OptionType {
  return refined(type, (value: T, platform) => {
    try {
      parse(value, platform)
    } catch (error) {
      if (error instanceof FlagError) return error.message.replace(/^--[a-z-]+: /, '')
      throw error
    }
    return undefined
  })
}
