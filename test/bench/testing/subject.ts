/** What a suite of tests asks of a server, whether it is in the test's process or behind a port. */

/** An object that tests write. */
export interface Sample {
  readonly apiVersion: string
  readonly kind: string
  /** Path of its collection. */
  readonly path: string
  named(name: string): Sampled
}

export interface Sampled {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: { readonly name: string }
  readonly [field: string]: unknown
}

export interface Subject {
  readonly name: string
  /** Milliseconds from nothing to the first response, and those of a further server. The least of some starts. */
  readonly ready: { readonly first: number; readonly second: number }
  create(sample: Sample, name: string): Promise<void>
  get(sample: Sample, name: string): Promise<void>
  /** Gives the next test the state that this one found. */
  reset(): Promise<void>
  stop(): Promise<void>
}

const sample = (apiVersion: string, kind: string, plural: string, rest: object): Sample => ({
  apiVersion,
  kind,
  path: `${apiVersion === 'v1' ? '/api' : '/apis'}/${apiVersion}/namespaces/default/${plural}`,
  named: (name) => ({ apiVersion, kind, metadata: { name }, ...rest }),
})

const spec = { containers: [{ name: 'web', image: 'nginx' }] }
const labels = { app: 'web' }

export const configMap = sample('v1', 'ConfigMap', 'configmaps', { data: { text: 'x'.repeat(100) } })

/** A test writes some of each. */
export const samples: readonly Sample[] = [
  configMap,
  sample('v1', 'Secret', 'secrets', { stringData: { password: 'secret' } }),
  sample('v1', 'Pod', 'pods', { spec }),
  sample('apps/v1', 'Deployment', 'deployments', { spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec } } }),
]

/** The least of the milliseconds that a start takes, three times. */
export async function leastOf(start: () => number | Promise<number>): Promise<number> {
  return Math.min(await start(), await start(), await start())
}

/** Objects of each sample that a test writes. */
export const perSample = 5
