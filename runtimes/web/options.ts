/** Options of `createApiServer` and `startTestServer` as plain data. */
import { tokenTable } from '../../core/authn/token-table.ts'
import { parseFeatureGates } from '../../core/config/feature-gates.ts'
import { parseRuntimeConfig } from '../../core/config/runtime-config.ts'
import type { ServerOptions } from '../../core/options.ts'
import { createPlatform, type Platform, type PlatformName } from '../../core/platform.ts'
import { builtInResources } from '../../core/resources/group-versions.ts'

/** The user that a bearer token authenticates. */
export interface TokenUser {
  readonly name: string
  readonly uid?: string
  readonly groups?: readonly string[]
}

/** Options of the core that are derived from the data below. */
type Made = 'platform' | 'gates' | 'serves' | 'enabledPlugins' | 'disabledPlugins'

/** All options of a server. Where the daemon's flags and files have text, these options have plain data. */
export interface EmbeddedOptions extends Omit<ServerOptions, Made>, Partial<Record<Exclude<Made, 'platform'>, never>> {
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

const platformOf = (given: EmbeddedOptions['platform']): Platform => (typeof given === 'object' ? given : createPlatform(given))

/**
 * Converts the options to those of the core.
 * @throws FlagError for an unknown gate or API; the message names the corresponding flag of the daemon.
 */
export async function serverOptions(options: EmbeddedOptions): Promise<ServerOptions> {
  const { platform: given, featureGates = {}, runtimeConfig = {}, tokens = [], admissionPlugins = {}, ...others } = options
  const platform = platformOf(given)
  const text = (pairs: { readonly [name: string]: boolean }) => Object.entries(pairs).map(([name, on]) => [name, String(on)] as const)
  const gates = parseFeatureGates(
    text(featureGates).map(([name, on]) => `${name}=${on}`),
    platform,
  )
  const served = parseRuntimeConfig(new Map(text(runtimeConfig)), builtInResources, { platform })
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
