/** Which features are on: the rows' defaults, as --feature-gates changes them (component-base/featuregate). */
import type { Platform } from '../platform.ts'
import { type GateRow, gateRows } from './feature-gate-rows.ts'
import { FlagError } from './flag.ts'
import { parseBool } from './flag-types.ts'
import { ourWords } from './words.ts'

export type FeatureGate = (typeof gateRows)[number]['name']

export interface FeatureGates {
  /** Whether a gate is on; one that is not known is off. */
  enabled(name: FeatureGate | (string & {})): boolean
  /** Every gate with its value, alphabetised. */
  readonly all: readonly { readonly row: GateRow; readonly enabled: boolean }[]
  readonly warnings: readonly string[]
}

const groups = { AllAlpha: 'alpha', AllBeta: 'beta' } as const

const isGroup = (name: string): name is keyof typeof groups => Object.hasOwn(groups, name)

/** `component:name=value` without the component, of which there is one. */
function withoutComponent(pair: string, { component }: Platform): string {
  const at = pair.indexOf(':')
  if (at === -1) return pair
  const given = pair.slice(0, at).trim()
  if (given !== '' && given !== component) throw new FlagError(`--feature-gates: component not registered: ${given}`)
  return pair.slice(at + 1)
}

function readPair(pair: string, platform: Platform): readonly [name: string, value: boolean] {
  const [name = '', text, ...rest] = withoutComponent(pair, platform).split('=')
  const gate = name.trim()
  if (text === undefined) throw new FlagError(`--feature-gates: missing bool value for ${gate}`)
  const given = [text, ...rest].join('=').trim()
  const value = parseBool(given)
  if (value === undefined) throw new FlagError(`--feature-gates: invalid value of ${gate}=${given}: must be true or false`)
  return [gate, value]
}

/**
 * Reads the items of --feature-gates. A gate that is named wins over AllAlpha and AllBeta, whatever their order.
 * @throws FlagError for an unknown gate, one locked to another value, or a value that is no truth value.
 */
export function parseFeatureGates(pairs: readonly string[], platform: Platform): FeatureGates {
  const rows = new Map<string, GateRow>(gateRows.map((row) => [row.name, row]))
  const named = new Map<string, boolean>()
  const stages = new Map<string, boolean>()
  const warnings: string[] = []
  for (const pair of pairs.filter((each) => each.trim() !== '')) {
    const [given, value] = readPair(pair, platform)
    if (isGroup(given)) {
      stages.set(groups[given], value)
      continue
    }
    const row = rows.get(ourWords(given, platform))
    if (!row) throw new FlagError(`--feature-gates: unrecognized feature gate: ${given}`)
    if (row.lockToDefault && row.default !== value) {
      throw new FlagError(`--feature-gates: cannot set feature gate ${given} to ${value}, feature is locked to ${row.default}`)
    }
    named.set(row.name, value)
    if (row.stage === 'ga' || row.stage === 'deprecated') {
      const stage = row.stage === 'ga' ? 'GA' : 'deprecated'
      warnings.push(`--feature-gates: setting ${stage} feature gate ${given}=${value}; it will be removed in a future release`)
    }
  }
  const enabled = new Map<string, boolean>(
    gateRows.map((row: GateRow) => [row.name, named.get(row.name) ?? stages.get(row.stage) ?? row.default]),
  )
  return {
    enabled: (name) => enabled.get(name) ?? false,
    all: gateRows.map((row) => ({ row, enabled: enabled.get(row.name) ?? false })),
    warnings,
  }
}
