/** Feature gates and served APIs from flags. */
import { type FeatureGates, gatePairs, parseFeatureGates } from '../config/feature-gates.ts'
import { parseRuntimeConfig } from '../config/runtime-config.ts'
import { builtInResources } from '../resources/group-versions.ts'
import { parseBool } from '../schema/formats/bool.ts'
import { effectiveVersion } from './emulation.ts'
import { naming } from './flag.ts'
import type { ParsedFlags } from './parse.ts'

/**
 * The gates from --feature-gates and --emulated-version.
 * @throws FlagError: see parseFeatureGates.
 */
export function gatesOfFlags(flags: ParsedFlags): FeatureGates {
  const name = 'feature-gates'
  const gates = naming(name, () => parseFeatureGates(flags.get(name), flags.platform, effectiveVersion(flags).emulated))
  return { ...gates, warnings: gates.warnings.map((text) => `--${name}: ${text}`) }
}

/** The gates that --feature-gates names. @throws FlagError as `gatesOfFlags`. */
export function switchesOfGates(flags: ParsedFlags): { readonly [gate: string]: boolean } {
  gatesOfFlags(flags)
  return Object.fromEntries(gatePairs(flags.get('feature-gates'), flags.platform))
}

/**
 * The APIs that --runtime-config names.
 * @throws FlagError: see parseRuntimeConfig.
 */
export function switchesOfApis(flags: ParsedFlags): { readonly [api: string]: boolean } {
  const name = 'runtime-config'
  const options = {
    platform: flags.platform,
    emulated: effectiveVersion(flags).emulated,
    laterVersions: flags.get('emulation-forward-compatible') ?? false,
    laterEntries: flags.get('runtime-config-emulation-forward-compatible') ?? false,
  }
  const given = flags.get(name)
  naming(name, () => parseRuntimeConfig(given, builtInResources, options))
  return Object.fromEntries(Array.from(given, ([api, text]) => [api, parseBool(text || 'true') === true] as const))
}
