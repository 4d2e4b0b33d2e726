/** Feature gates: defaults, changed by --feature-gates (component-base/featuregate). */
import { once } from '../common/once.ts'
import type { Platform } from '../platform.ts'
import { ownRelease, type Release } from '../release.ts'
import { DecodeError } from '../schema/decode-error.ts'
import { parseBool } from '../schema/formats/bool.ts'
import { dependencies } from './feature-gate-dependencies.ts'
import { specOf } from './feature-gate-history.ts'
import { type GateRow, gateRows } from './feature-gate-rows.ts'
import { ourWords } from './words.ts'

export type FeatureGate = (typeof gateRows)[number]['name']

export interface FeatureGates {
  /** Whether a gate is on; unknown gates are off. */
  enabled(name: FeatureGate | (string & {})): boolean
  /** All gates of the release with their values, alphabetized. */
  readonly all: readonly { readonly row: GateRow; readonly enabled: boolean }[]
  readonly warnings: readonly string[]
}

const groups = { AllAlpha: 'alpha', AllBeta: 'beta' } as const

const idle = once(
  () => new Map<string, string>(gateRows.flatMap(({ name, idle: reason }) => (reason === undefined ? [] : [[name, reason]]))),
)

const isGroup = (name: string): name is keyof typeof groups => Object.hasOwn(groups, name)

/** Removes the component from `component:name=value`; there is only one. */
function withoutComponent(pair: string, { component }: Platform): string {
  const at = pair.indexOf(':')
  if (at === -1) return pair
  const given = pair.slice(0, at).trim()
  if (given !== '' && given !== component) throw new DecodeError(`component not registered: ${given}`)
  return pair.slice(at + 1)
}

function readPair(pair: string, platform: Platform): readonly [name: string, value: boolean] {
  const [name = '', text, ...rest] = withoutComponent(pair, platform).split('=')
  const gate = name.trim()
  if (text === undefined) throw new DecodeError(`missing bool value for ${gate}`)
  const given = [text, ...rest].join('=').trim()
  const value = parseBool(given)
  if (value === undefined) throw new DecodeError(`invalid value of ${gate}=${given}: must be true or false`)
  return [gate, value]
}

/** The gates that --feature-gates names, with their values. @throws DecodeError for a malformed pair. */
export const gatePairs = (pairs: readonly string[], platform: Platform) =>
  pairs.filter((each) => each.trim() !== '').map((pair) => readPair(pair, platform))

/** Error for a gate that no release has, or only later releases. */
const missing = (name: string, value: boolean, release: Release | undefined) =>
  new DecodeError(
    release
      ? `cannot set feature gate ${name} to ${value}, feature is PreAlpha at emulated version ${release}`
      : `unrecognized feature gate: ${name}`,
  )

/** The gates of a release, alphabetized. */
export function gatesOf(release: Release): GateRow[] {
  return gateRows.flatMap((row) => {
    const spec = specOf(row, release)
    return spec ? [{ ...spec, name: row.name }] : []
  })
}

const ownGates = once(() => gatesOf(ownRelease))

/**
 * Parses --feature-gates for the (emulated) release. Explicit gates take precedence over AllAlpha and AllBeta, in any
 * order. Gates that the release does not have are off.
 * @throws DecodeError for an unknown gate, one that the release does not have, one locked to another value, one that needs a disabled one, or a
 * malformed boolean.
 */
export function parseFeatureGates(pairs: readonly string[], platform: Platform, release: Release = ownRelease): FeatureGates {
  const known = release === ownRelease ? ownGates() : gatesOf(release)
  const rows = new Map<string, GateRow>(known.map((row) => [row.name, row]))
  const named = new Map<string, boolean>()
  const stages = new Map<string, boolean>()
  const warnings: string[] = []
  for (const [given, value] of gatePairs(pairs, platform)) {
    if (isGroup(given)) {
      stages.set(groups[given], value)
      continue
    }
    const name = ourWords(given, platform)
    const row = rows.get(name)
    if (!row) throw missing(given, value, gateRows.some((each) => each.name === name) ? release : undefined)
    if (row.lockToDefault && row.default !== value) {
      throw new DecodeError(`cannot set feature gate ${given} to ${value}, feature is locked to ${row.default}`)
    }
    named.set(row.name, value)
    if (row.stage === 'ga' || row.stage === 'deprecated') {
      const stage = row.stage === 'ga' ? 'GA' : 'deprecated'
      warnings.push(`setting ${stage} feature gate ${given}=${value}; it will be removed in a future release`)
    }
  }
  const enabled = new Map<string, boolean>(known.map((row) => [row.name, named.get(row.name) ?? stages.get(row.stage) ?? row.default]))
  for (const { name, default: usual } of known) {
    const value = enabled.get(name)
    const reason = idle().get(name)
    if (reason !== undefined && value !== usual) warnings.push(`${name}=${value} has no effect: ${reason}`)
  }
  const lacking = [...enabled].flatMap(([name, value]) => {
    const missed = value ? (dependencies[name] ?? []).filter((each) => enabled.get(each) === false) : []
    return missed.length > 0 ? [`${name} is enabled, but depends on features that are disabled: [${missed.join(' ')}]`] : []
  })
  if (lacking.length > 0) throw new DecodeError(lacking.join(', '))
  return {
    enabled: (name) => enabled.get(name) ?? false,
    all: known.map((row) => ({ row, enabled: enabled.get(row.name) ?? false })),
    warnings,
  }
}
