/** Options of `createApiServer` and `startTestServer` as plain data. */
import { tokenTable } from '../../core/authn/token-table.ts'
import { parseFeatureGates } from '../../core/config/feature-gates.ts'
import { parseRuntimeConfig } from '../../core/config/runtime-config.ts'
import { pluginNames } from '../../core/options/admission.ts'
import { type ServerOptions, serverOptionConflicts, serverOptionTypes } from '../../core/options/index.ts'
import {
  bool,
  filled,
  list,
  type OptionRows,
  oneOf,
  parsed,
  type RowsOf,
  record,
  refined,
  shape,
  text as string,
} from '../../core/options/types.ts'
import { validateOptions } from '../../core/options/validate.ts'
import { createPlatform, type Platform, type PlatformName, platformNames } from '../../core/platform.ts'
import { builtInResources } from '../../core/resources/group-versions.ts'

/** The user that a bearer token authenticates. */
export interface TokenUser {
  readonly name: string
  readonly uid?: string
  readonly groups?: readonly string[]
  readonly extra?: { readonly [key: string]: readonly string[] }
}

/** Options of the core that are derived from the data below. */
type Made = 'platform' | 'gates' | 'serves' | 'enabledPlugins' | 'disabledPlugins'

/** All options of a server. Where the daemon's flags and files have text, these options have plain data. */
export interface PlainOptions extends Omit<ServerOptions, Made>, Partial<Record<Exclude<Made, 'platform'>, never>> {
  /**
   * Product name in namespaces, in the API server's service and in media types; default `platform`: namespace `platform-system`. With
   * `kubernetes`: namespace `kube-system`, service `kubernetes`.
   */
  readonly platform?: PlatformName | Platform
  /** Feature gates that differ from their defaults: `{ WatchList: false }`. */
  readonly featureGates?: { readonly [gate: string]: boolean }
  /** APIs to enable or disable: `{ 'resource.k8s.io/v1beta1': true, 'api/beta': true }`. */
  readonly runtimeConfig?: { readonly [api: string]: boolean }
  /** Static bearer tokens and their users; default: none. */
  readonly tokens?: readonly { readonly token: string; readonly user: TokenUser }[]
  /** Admission plugins to enable in addition to the default ones, and default ones to disable. */
  readonly admissionPlugins?: { readonly enable?: readonly string[]; readonly disable?: readonly string[] }
}

function platformOf(given: PlainOptions['platform']): Platform {
  if (typeof given === 'object' && given !== null) return given
  // An unknown name is reported with the other problems.
  return createPlatform(given !== undefined && platformNames.includes(given) ? given : undefined)
}

const text = (pairs: { readonly [name: string]: boolean }) => Object.entries(pairs).map(([name, on]) => [name, String(on)] as const)

const gatesOf = (gates: { readonly [gate: string]: boolean }, platform: Platform) =>
  parseFeatureGates(
    text(gates).map(([name, on]) => `${name}=${on}`),
    platform,
  )

const servedOf = (apis: { readonly [api: string]: boolean }, platform: Platform) =>
  parseRuntimeConfig(new Map(text(apis)), builtInResources, { platform })

const user = shape({ name: filled, uid: string, groups: list(string), extra: record(list(string)) }, ['name'])

function pluginsInBoth({ enable = [], disable = [] }: NonNullable<PlainOptions['admissionPlugins']>): string | undefined {
  const both = enable.filter((name) => disable.includes(name))
  return both.length === 0 ? undefined : `enable and disable overlap: ${both.join(', ')}`
}

const { gates: _gates, serves: _serves, enabledPlugins: _enabled, disabledPlugins: _disabled, ...common } = serverOptionTypes

export const embeddedRows = {
  ...common,
  platform: (value, platform) => (typeof value === 'string' ? oneOf(platformNames) : serverOptionTypes.platform)(value, platform),
  featureGates: parsed(record(bool), gatesOf),
  runtimeConfig: parsed(record(bool), servedOf),
  tokens: list(shape({ token: filled, user }, ['token', 'user'])),
  admissionPlugins: refined(shape({ enable: pluginNames, disable: pluginNames }), pluginsInBoth),
} satisfies RowsOf<Omit<PlainOptions, Exclude<Made, 'platform'>>>

/**
 * Validates the options of a public function: those of a server, and its own `rows`.
 * @throws OptionError with all problems.
 */
export function validatePlainOptions<T extends PlainOptions>(caller: string, given: T, rows: OptionRows, required: readonly string[] = []) {
  const platform = platformOf((given as T | null | undefined)?.platform)
  validateOptions(caller, { ...embeddedRows, ...rows }, given, { required, platform, conflicts: serverOptionConflicts })
}

/** Converts valid options to those of the core. */
export async function serverOptions(options: PlainOptions): Promise<ServerOptions> {
  const { platform: given, featureGates = {}, runtimeConfig = {}, tokens = [], admissionPlugins = {}, ...others } = options
  const platform = platformOf(given)
  const gates = gatesOf(featureGates, platform)
  const served = servedOf(runtimeConfig, platform)
  const users = tokens.map(({ token, user }) => [token, { ...user, groups: user.groups ?? [] }] as const)
  return {
    ...others,
    platform,
    gates,
    watchList: others.watchList ?? gates.enabled('WatchList'),
    serves: served.servesVersion,
    staticTokens: [...(others.staticTokens ?? []), ...(users.length > 0 ? [await tokenTable('tokens', users)] : [])],
    enabledPlugins: admissionPlugins.enable ?? [],
    disabledPlugins: admissionPlugins.disable ?? [],
  }
}
