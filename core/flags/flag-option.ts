/** Types of options with the bounds of the flags that have the same meaning. */

import { limited, type OptionType } from '../config/option-types.ts'
import type { Flag } from './flag.ts'
import { type FlagName, flags } from './rows/index.ts'

/** Values of a type that a flag allows. `scale`: units of the flag in one unit of the option, such as 1000 for seconds. */
export function asFlag(name: FlagName, type: OptionType, scale?: number): OptionType {
  const flag: Flag = flags[name]
  return limited(type, (value: unknown) => flag.problem(scale === undefined ? value : Number(value) * scale))
}
