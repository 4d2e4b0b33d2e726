/** Feature gates and served APIs from flags. */
import { type FeatureGates, parseFeatureGates } from '../config/feature-gates.ts'
import { parseRuntimeConfig, type RuntimeConfig, type RuntimeConfigRow } from '../config/runtime-config.ts'
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

/**
 * The APIs from --runtime-config and the flags of emulation; `known` lists all built-in definitions.
 * @throws FlagError: see parseRuntimeConfig.
 */
export function apisOfFlags(flags: ParsedFlags, known: readonly RuntimeConfigRow[]): RuntimeConfig {
  const name = 'runtime-config'
  const options = {
    platform: flags.platform,
    emulated: effectiveVersion(flags).emulated,
    laterVersions: flags.get('emulation-forward-compatible') ?? false,
    laterEntries: flags.get('runtime-config-emulation-forward-compatible') ?? false,
  }
  return naming(name, () => parseRuntimeConfig(flags.get(name), known, options))
}
