/** All options of a server. */
import { type Apis, apisOf } from '../config/apis.ts'
import { emulatedRelease } from '../meta/version.ts'
import { createPlatform, type Platform, platformNames } from '../platform.ts'
import { admissionOptions } from './admission.ts'
import { apiConflicts, apiOptions } from './apis.ts'
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
import type { OptionRows } from './types.ts'
import { validateOptions } from './validate.ts'

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

type Groups = { readonly [G in keyof OptionGroups]: Complete<OptionGroups[G]> }

/** As the parts of a server get them: by group, and what they mean. */
export type CompleteOptions = Omit<Groups, 'general' | 'apis'> & {
  readonly general: Groups['general'] & { readonly platform: Platform }
  readonly apis: Groups['apis'] & Apis
}

export const serverOptionTypes = typesOf(allOptions)

/** The product names that an option selects. An unknown name is reported with other problems. */
function platformOf(given: ServerOptions['platform'] | null): Platform {
  if (typeof given === 'object' && given !== null) return given
  return createPlatform(given && platformNames.includes(given) ? given : undefined)
}

function groupsOf(given: ServerOptions): Omit<Groups, 'general'> & Pick<CompleteOptions, 'general'> {
  const platform = platformOf(given.platform)
  const groups = Object.entries(optionGroups).map(([name, table]) => [name, complete(table, { ...given, platform }, platform)] as const)
  return Object.fromEntries(groups) as unknown as ReturnType<typeof groupsOf>
}

/** Conflicts between options that are valid by themselves; `named` is how messages name an option. */
export function conflictsOf(given: ServerOptions, named: (option: string) => string = (option) => option): readonly Conflict[] {
  const { general, apis, authorization, network, audit, leadership } = groupsOf(given)
  return [
    ...apiConflicts(apis, general.platform, emulatedRelease(general.version)),
    ...authorizationConflicts(authorization, named),
    ...networkConflicts(network, named),
    ...auditConflicts(audit, named),
    ...leadershipConflicts(leadership, named),
  ]
}

/**
 * Validates the options of a public function: those of a server, and its own `rows`.
 * @throws OptionError with all problems.
 */
export function validateServerOptions<T extends ServerOptions>(
  caller: string,
  given: T,
  rows: OptionRows = {},
  required: readonly string[] = [],
): void {
  const platform = platformOf((given as T | null | undefined)?.platform)
  const conflicts = (valid: T) => conflictsOf(valid).map(({ at, message }) => ({ at, message }))
  validateOptions(caller, { ...serverOptionTypes, ...rows }, given, { required, platform, conflicts })
}

/** @throws DecodeError for gates and APIs that `validateServerOptions` refuses. */
export function withDefaults(given: ServerOptions): CompleteOptions {
  const groups = groupsOf(given)
  const { platform, version } = groups.general
  return { ...groups, apis: { ...groups.apis, ...apisOf(groups.apis, platform, emulatedRelease(version)) } }
}
