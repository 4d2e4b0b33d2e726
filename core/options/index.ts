/** All options of a server. */
import { createPlatform } from '../platform.ts'
import { admissionOptions } from './admission.ts'
import { apiOptions } from './apis.ts'
import { authenticationOptions } from './authentication.ts'
import { authorizationConflicts, authorizationOptions } from './authorization.ts'
import { controllerOptions } from './controllers.ts'
import { generalOptions } from './general.ts'
import { networkConflicts, networkOptions } from './network.ts'
import { type Complete, complete, type Given, typesOf } from './option.ts'
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
}

type AllOptions = typeof generalOptions &
  typeof apiOptions &
  typeof servingOptions &
  typeof networkOptions &
  typeof authenticationOptions &
  typeof authorizationOptions &
  typeof admissionOptions &
  typeof storageOptions &
  typeof trafficOptions &
  typeof controllerOptions

/** The options of all groups. */
export const allOptions: AllOptions = {
  ...generalOptions,
  ...apiOptions,
  ...servingOptions,
  ...networkOptions,
  ...authenticationOptions,
  ...authorizationOptions,
  ...admissionOptions,
  ...storageOptions,
  ...trafficOptions,
  ...controllerOptions,
}

/** Options of a server; all are optional. Defaults suit an embedded server; the daemon sets options from its flags. */
export type ServerOptions = Given<AllOptions>
export type CompleteOptions = Complete<AllOptions>

export const serverOptionTypes = typesOf(allOptions)

/** Problems of combinations; each option is valid by itself. */
export const serverOptionConflicts = (options: Given<typeof authorizationOptions & typeof networkOptions>): readonly OptionProblem[] => [
  ...authorizationConflicts(options),
  ...networkConflicts(options),
]

export const withDefaults = (options: ServerOptions): CompleteOptions => complete(allOptions, options, options.platform ?? createPlatform())
