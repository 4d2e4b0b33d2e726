/** Servers with every kind, also those behind feature gates. */
import { builtInResources } from '../../core/resources/group-versions.ts'

/** The gates of kinds, switched on. */
export const kindGates: { readonly [gate: string]: true } = Object.fromEntries(
  builtInResources.flatMap(({ gate }) => (gate ? [[gate, true]] : [])),
)

export const allKinds = { runtimeConfig: { 'api/all': true }, featureGates: kindGates } as const

/** The gates of kinds as `--feature-gates` has them. */
export const kindGatePairs: readonly string[] = Object.keys(kindGates).map((gate) => `${gate}=true`)

/** The same as flags. */
export const allKindsFlags: readonly string[] = ['--runtime-config=api/all=true', `--feature-gates=${kindGatePairs.join(',')}`]
