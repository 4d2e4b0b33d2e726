/** The emulated release, and the oldest release to stay compatible with (KEP-4330), from flags. */
import { isReached, ownRelease, parseRelease, type Release, releaseBefore } from '../release.ts'
import type { Rule } from './combination-rules.ts'
import type { ParsedFlags } from './parse.ts'

export interface EffectiveVersion {
  readonly emulated: Release
  readonly minCompatibility: Release
}

/** The oldest release that can be emulated. */
const oldest = releaseBefore(ownRelease, 3)

/** Parses the last value, `[component=][v]major.minor`. */
function lastOf(flags: ParsedFlags, name: 'emulated-version' | 'min-compatibility-version'): Release | undefined {
  const last = flags.get(name).at(-1)
  return last === undefined ? undefined : parseRelease(last.replace(/^.*=/, '').replace(/^v/, ''))
}

/** Resolves --emulated-version and --min-compatibility-version; default: compatible with the release before the emulated one. */
export function effectiveVersion(flags: ParsedFlags): EffectiveVersion {
  const emulated = lastOf(flags, 'emulated-version') ?? ownRelease
  const before = releaseBefore(emulated)
  const min = isReached(oldest, before) ? before : oldest
  return { emulated, minCompatibility: lastOf(flags, 'min-compatibility-version') ?? min }
}

function within(name: string, release: Release, last: Release): string | undefined {
  if (isReached(oldest, release) && isReached(release, last)) return undefined
  return `--${name}: invalid value "${release}": must be between ${oldest} and ${last}`
}

/** Both releases must be supported, and the compatible one must not be later than the emulated one. */
export const effectiveRange: Rule = (flags) => {
  for (const name of ['emulated-version', 'min-compatibility-version'] as const) {
    const given = flags.get(name).map((text) => (text.includes('=') ? text.slice(0, text.indexOf('=')) : ''))
    const { component } = flags.platform
    const unknown = given.find((each) => each !== '' && each !== component)
    if (unknown !== undefined) return `--${name}: component not registered: ${unknown}`
    if (given.length > 1) return `--${name}: duplicate version flag, ${given[0] || component}=…`
  }
  const { emulated, minCompatibility } = effectiveVersion(flags)
  return within('emulated-version', emulated, ownRelease) ?? within('min-compatibility-version', minCompatibility, emulated)
}

/** Forward compatibility requires an emulated release. */
export const emulation =
  (name: 'emulation-forward-compatible' | 'runtime-config-emulation-forward-compatible'): Rule =>
  (flags) =>
    flags.get(name) && isReached(ownRelease, effectiveVersion(flags).emulated)
      ? `--${name} may be true only when --emulated-version is lower than the version of this server (${ownRelease})`
      : undefined
