/** The libraries of all expressions: the set of 1.36. */
import type { FunctionDeclaration } from '../functions.ts'
import {
  boolType,
  bytesType,
  type CelType,
  doubleType,
  durationType,
  dynType,
  intType,
  listType,
  mapType,
  nullType,
  optionalType,
  stringType,
  timestampType,
  typeType,
  uintType,
} from '../types.ts'
import { accessorLibrary } from './accessors.ts'
import { addressLibrary, cidrType, ipType } from './addresses.ts'
import { authorizerLibrary, authorizerType, decisionType, groupCheckType, pathCheckType, resourceCheckType } from './authorizer.ts'
import { comprehensionLibrary } from './comprehensions.ts'
import { conversionLibrary } from './conversions.ts'
import { formatLibrary, formatType } from './formats.ts'
import { listLibrary } from './lists.ts'
import { optionalLibrary } from './optionals.ts'
import { quantityLibrary, quantityType } from './quantities.ts'
import { regexLibrary } from './regex.ts'
import { setLibrary } from './sets.ts'
import { standardLibrary } from './standard.ts'
import { stringLibrary } from './strings.ts'
import { urlLibrary, urlType } from './urls.ts'
import { semverType, versionLibrary } from './versions.ts'

export const standardFunctions = (): readonly FunctionDeclaration[] => [
  ...standardLibrary(),
  ...conversionLibrary(),
  ...accessorLibrary(),
  ...optionalLibrary(),
  ...comprehensionLibrary(),
  ...stringLibrary(),
  ...listLibrary(),
  ...setLibrary(),
  ...regexLibrary(),
  ...urlLibrary(),
  ...addressLibrary(),
  ...quantityLibrary(),
  ...versionLibrary(),
  ...formatLibrary(),
  ...authorizerLibrary(),
]

/** Types that expressions may name. */
export const standardTypes: readonly CelType[] = [
  boolType,
  bytesType,
  doubleType,
  durationType,
  intType,
  listType(dynType),
  mapType(dynType, dynType),
  nullType,
  optionalType(dynType),
  stringType,
  timestampType,
  typeType,
  uintType,
  cidrType,
  formatType,
  ipType,
  quantityType,
  semverType,
  urlType,
  authorizerType,
  decisionType,
  groupCheckType,
  pathCheckType,
  resourceCheckType,
]
