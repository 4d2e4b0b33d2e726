/** Providers of one content of the `--encryption-provider-config` file: transformers, and the KMS plugins in use. */

import type { GroupResource } from '../../answers/status.ts'
import type { FeatureGates } from '../../config/feature-gates.ts'
import { loadFile } from '../../config/files/load.ts'
import type { Platform } from '../../platform.ts'
import type { Ports } from '../../ports.ts'
import { messageOf } from '../../schema/message-of.ts'
import type { Measures } from '../metrics.ts'
import { type Plugin, transformerOf } from '../providers.ts'
import { namedTransformers, type Selection, selectTransformer } from '../selection.ts'
import { aggregated, type Transformer } from '../transformer.ts'
import { type EncryptionConfiguration, encryptionConfiguration } from './encryption.ts'

export interface EncryptionOptions {
  /** Path of an EncryptionConfiguration file. */
  readonly file: string
  /** Whether it is reloaded when it changes. */
  readonly automaticReload: boolean
}

/** Conflicts of the file with feature gates, one line each. */
export function encryptionFileConflicts(file: EncryptionConfiguration, gates: Pick<FeatureGates, 'enabled'>): readonly string[] {
  const old = file.resources.some(({ providers }) => providers.some(({ kms }) => kms?.apiVersion === 'v1'))
  return old && !gates.enabled('KMSv1')
    ? ['--encryption-provider-config: version v1 of key-management plugins needs --feature-gates=KMSv1=true; v2 is recommended']
    : []
}

export interface ProvidersContext {
  readonly platform: Platform
  readonly gates: Pick<FeatureGates, 'enabled'>
  readonly ports: Pick<Ports, 'clock' | 'files' | 'outbound' | 'telemetry'>
  readonly measures: Measures
}

/** Health check of a plugin, or of all. */
export interface PluginCheck {
  readonly name: string
  /** Rejects with the reason when unhealthy. */
  check(): Promise<void>
}

export interface Providers {
  transformerOf(groupResource: GroupResource): Transformer | undefined
  /** One per plugin, in the order of the file. */
  readonly checks: readonly PluginCheck[]
  /** Rejects with an Error about every unhealthy plugin. */
  checkAll(): Promise<void>
  /** Whether all plugins (at least one) have version 2: then they share a health check. */
  readonly onlyV2: boolean
  /** Maximum milliseconds of calls to the plugins still in progress. */
  readonly probeTimeout: number
  close(): void
}

type Entry = EncryptionConfiguration['resources'][number]

/** Merges entries for the same resource, in order. */
function merged(entries: readonly Entry[]): readonly Entry[] {
  const repeated = new Set<string>()
  const seen = new Set<string>()
  for (const name of entries.flatMap(({ resources }) => resources)) (seen.has(name) ? repeated : seen).add(name)
  const once = entries.map((entry) => ({ ...entry, resources: entry.resources.filter((name) => !repeated.has(name)) }))
  const together = [...repeated].map((name) => ({
    resources: [name],
    providers: entries.filter(({ resources }) => resources.includes(name)).flatMap(({ providers }) => providers),
  }))
  return [...once, ...together].filter(({ resources }) => resources.length > 0)
}

async function checkAll(checks: readonly PluginCheck[]): Promise<void> {
  const problems: string[] = []
  for (const { name, check } of checks) {
    try {
      await check()
    } catch (error) {
      problems.push(`${name}: ${messageOf(error)}`)
    }
  }
  if (problems.length > 0) throw new Error(aggregated(problems))
}

async function selections(entries: readonly Entry[], { ports, measures }: ProvidersContext, plugins: Plugin[]): Promise<Selection[]> {
  const { clock, outbound, telemetry } = ports
  const made: Selection[] = []
  for (const { resources, providers } of merged(entries)) {
    const transformer = await transformerOf(providers, { outbound, clock, logger: telemetry.logger, measures }, plugins)
    made.push({ names: resources, transformer })
  }
  return made
}

/** Rejects with an Error when the content is invalid. Unhealthy plugins are not an error. */
export async function createProviders(text: string, options: EncryptionOptions, context: ProvidersContext): Promise<Providers> {
  const { file, automaticReload } = options
  const configuration = loadFile(encryptionConfiguration, text, file, context.platform, { automaticReload })
  const conflicts = encryptionFileConflicts(configuration, context.gates)
  if (conflicts.length > 0) throw new Error(conflicts.join('; '))
  const plugins: Plugin[] = []
  const close = () => {
    for (const { probe } of plugins) probe.close()
  }
  try {
    const select = namedTransformers(selectTransformer(await selections(configuration.resources, context, plugins)))
    const checks = plugins.map(({ probe }, index) => ({ name: `kms-provider-${index}`, check: () => probe.check() }))
    return {
      transformerOf: select,
      checks,
      checkAll: () => checkAll(checks),
      onlyV2: plugins.length > 0 && plugins.every(({ version }) => version === 'v2'),
      probeTimeout: 2 * plugins.reduce((sum, { probe }) => sum + probe.timeout, 0),
      close,
    }
  } catch (error) {
    close()
    throw error
  }
}
