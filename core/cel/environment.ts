import { Environment } from 'cel-js'
import { registerAddresses } from './addresses.ts'
import { registerFormats } from './formats.ts'
import { registerLists } from './lists.ts'
import { registerQuantities } from './quantities.ts'
import { registerRegex } from './regex.ts'
import { registerSets } from './sets.ts'
import { registerStrings } from './strings.ts'
import { registerUrls } from './urls.ts'
import { registerVersions } from './versions.ts'

const libraries = [
  registerRegex,
  registerStrings,
  registerLists,
  registerSets,
  registerUrls,
  registerAddresses,
  registerQuantities,
  registerVersions,
  registerFormats,
]

/**
 * The environment that every expression starts from: the language with optional values, and the functions of this API's
 * libraries. It declares no variable; registering some gives an environment of its own.
 */
export function createEnvironment(): Environment {
  const environment = new Environment({ enableOptionalTypes: true, unlistedVariablesAreDyn: false })
  for (const register of libraries) register(environment)
  return environment
}
