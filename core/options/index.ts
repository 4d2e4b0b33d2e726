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
export const optionGroups = {
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

export type OptionGroups = typeof optionGroups

/** The options of all groups. */
export const allOptions = {
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
export type ServerOptions = Given<typeof allOptions>
export type CompleteOptions = Complete<typeof allOptions>

export const serverOptionTypes = typesOf(allOptions)

/** Problems of combinations; each option is valid by itself. */
export const serverOptionConflicts = (options: Given<typeof authorizationOptions & typeof networkOptions>): readonly OptionProblem[] => [
  ...authorizationConflicts(options),
  ...networkConflicts(options),
]

export const withDefaults = (options: ServerOptions): CompleteOptions => complete(allOptions, options, options.platform ?? createPlatform())
