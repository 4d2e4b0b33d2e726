/** Options of `startTestServer` that a client of the interface may give: plain data, which names no file and no function of this process. */
import { once } from '../../../core/common/once.ts'
import { allOptions, serverOptionTypes, validateServerOptions } from '../../../core/options/index.ts'
import { validateOptions } from '../../../core/options/validate.ts'
import type { ServerOptions } from '../../../core/server.ts'

const names = [
  'platform',
  'featureGates',
  'runtimeConfig',
  'emulationForwardCompatible',
  'runtimeConfigEmulationForwardCompatible',
  'serviceClusterIpRanges',
  'serviceNodePortRange',
  'anonymous',
  'authorizationModes',
  'bootstrapTokens',
  'admissionPlugins',
  'tolerationSeconds',
  'allowPrivileged',
  'storageMediaType',
  'watchCache',
  'eventTtl',
  'controllers',
  'garbageCollection',
  'requestTimeout',
  'minRequestTimeout',
  'maxReadOnlyInFlight',
  'maxMutatingInFlight',
  'priorityAndFairness',
] as const satisfies readonly (keyof ServerOptions)[]

const rows = Object.fromEntries(names.map((name) => [name, serverOptionTypes[name]]))

/** What they mean, by name. */
export const optionDescriptions = Object.fromEntries(names.map((name) => [name, allOptions[name].description]))

/**
 * The options of a server with those that are given. Requests need credentials, and rights, unless the options say otherwise. Throws an
 * OptionError for others.
 */
export const hostedOptions = (given: { readonly [name: string]: unknown }): ServerOptions =>
  Object.keys(given).length === 0 ? usual() : checked(given)

/** Of servers for which nothing is given: nearly all. */
const usual = once(() => checked({}))

function checked(given: { readonly [name: string]: unknown }): ServerOptions {
  validateOptions('options', rows, given)
  const { platform = 'kubernetes', authorizationModes = ['Node', 'RBAC'], ...others } = given as ServerOptions
  // As kube-apiserver has it: where everything is allowed, nobody is anonymous.
  const anonymous = !authorizationModes.includes('AlwaysAllow')
  const options = { platform, authorizationModes, anonymous, ...others }
  validateServerOptions('options', options)
  return options
}
