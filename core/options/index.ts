/** All options of a server. */
import { createPlatform } from '../platform.ts'
import { admissionOptions } from './admission.ts'
import { apiOptions } from './apis.ts'
import { auditConflicts, auditOptions } from './audit.ts'
import { authenticationOptions } from './authentication.ts'
import { authorizationConflicts, authorizationOptions } from './authorization.ts'
import { controllerOptions } from './controllers.ts'
import { generalOptions } from './general.ts'
import { leadershipConflicts, leadershipOptions } from './leadership.ts'
import { networkConflicts, networkOptions } from './network.ts'
import { type Complete, type Conflict, complete, type Given, typesOf } from './option.ts'
import { servingOptions } from './serving.ts'
import { storageOptions } from './storage.ts'
import { trafficOptions } from './traffic.ts'
import type { OptionProblem } from './types.ts'

/** The options of each group. */
export interface OptionGroups {
  readonly general: typeof generalOptions
  readonly apis: typeof apiOptions
  readonly serving: typeof servingOptions
  readonly network: typeof networkOptions
  readonly authentication: typeof authenticationOptions
  readonly authorization: typeof authorizationOptions
  readonly admission: typeof admissionOptions
  readonly storage: typeof storageOptions
  readonly traffic: typeof trafficOptions
  readonly controllers: typeof controllerOptions
  readonly audit: typeof auditOptions
  readonly leadership: typeof leadershipOptions
}

export const optionGroups: OptionGroups = {
  general: generalOptions,
  apis: apiOptions,
  serving: servingOptions,
  network: networkOptions,
  authentication: authenticationOptions,
  authorization: authorizationOptions,
  admission: admissionOptions,
  storage: storageOptions,
  traffic: trafficOptions,
  controllers: controllerOptions,
  audit: auditOptions,
  leadership: leadershipOptions,
}

type Intersection<U> = (U extends unknown ? (member: U) => void : never) extends (member: infer All) => void ? All : never

/** The options of all groups, whose names differ. */
type AllOptions = Intersection<OptionGroups[keyof OptionGroups]>

/** The options of all groups. */
export const allOptions: AllOptions = Object.assign({}, ...Object.values(optionGroups))

/** Options of a server; all are optional. Defaults suit an embedded server; the daemon sets options from its flags. */
export type ServerOptions = Given<AllOptions>

/** As the parts of a server get them: by group. */
export type CompleteOptions = { readonly [G in keyof OptionGroups]: Complete<OptionGroups[G]> }

export const serverOptionTypes = typesOf(allOptions)

/** Options that have conflicts. */
type Conflicting = Given<typeof authorizationOptions & typeof networkOptions & typeof auditOptions & typeof leadershipOptions>

/** Conflicts between options that are valid by themselves; `named` is how messages name an option. */
export function conflictsOf(given: Conflicting, named: (option: string) => string = (option) => option): readonly Conflict[] {
  const platform = createPlatform()
  return [
    ...authorizationConflicts(complete(authorizationOptions, given, platform), named),
    ...networkConflicts(complete(networkOptions, given, platform), named),
    ...auditConflicts(complete(auditOptions, given, platform), named),
    ...leadershipConflicts(complete(leadershipOptions, given, platform), named),
  ]
}

/** The same as problems. */
export const serverOptionConflicts = (given: Conflicting): readonly OptionProblem[] =>
  conflictsOf(given).map(({ at, message }) => ({ at, message }))

export function withDefaults(given: ServerOptions): CompleteOptions {
  const platform = given.platform ?? createPlatform()
  const groups = Object.entries(optionGroups).map(([name, table]) => [name, complete(table, given, platform)] as const)
  return Object.fromEntries(groups) as unknown as CompleteOptions
}
