/** Loads the file of `--admission-control-config-file`, and the files that it refers to. */

import type { FeatureGates } from '../../config/feature-gates.ts'
import { ConfigurationFileError } from '../../config/files/error.ts'
import { type FileContext, type FileKind, validateKind } from '../../config/files/kind.ts'
import { loadFile, parseText } from '../../config/files/load.ts'
import { type ConnectionPorts, loadConnectionFile } from '../../outgoing/webhook/connection-file.ts'
import { loadWebhookCredentials } from '../../outgoing/webhook/credentials-file.ts'
import type { Platform } from '../../platform.ts'
import type { PluginConfigurations } from '../configuration.ts'
import { admissionConfiguration } from './admission.ts'
import { pluginKinds } from './plugins.ts'

export interface AdmissionFileContext {
  readonly platform: Platform
  readonly gates: Pick<FeatureGates, 'enabled'>
  readonly ports: ConnectionPorts
}

type Plugin = keyof typeof pluginKinds
type Loaded = { -readonly [P in Plugin]?: ReturnType<(typeof pluginKinds)[P]['load']> }

/** Validates kind and version, then loads. @throws ConfigurationFileError */
function load(plugin: Plugin, value: unknown, context: FileContext): unknown {
  const { kinds, load: read }: FileKind<unknown> = pluginKinds[plugin]
  return read(validateKind(value, kinds, context), context)
}

/** Moves the errors of an inline configuration to its place in the containing file. */
function placed(error: unknown, path: string, at: string): unknown {
  if (!(error instanceof ConfigurationFileError)) return error
  const problems = error.problems.map(({ field, message }) => ({ field: field === '' ? at : `${at}.${field}`, message }))
  return new ConfigurationFileError(path, problems)
}

/** Loads the configurations of plugins that support one; others are ignored. Rejects with an Error that names file and field. */
export async function loadPluginConfigurations(
  path: string,
  { platform, gates, ports }: AdmissionFileContext,
): Promise<PluginConfigurations> {
  const read = async (file: string) => new TextDecoder().decode(await ports.files.read(file))
  const { plugins } = loadFile(admissionConfiguration, await read(path), path, platform, { gates })
  const context = { platform, gates, ownIssuers: [], automaticReload: false, egress: undefined }
  const found: { [plugin: string]: unknown } = {}
  for (const [index, { name, path: file, configuration }] of plugins.entries()) {
    if (!Object.hasOwn(pluginKinds, name)) continue
    const plugin = name as Plugin
    if (configuration !== undefined) {
      try {
        found[plugin] = load(plugin, configuration, { ...context, path })
      } catch (error) {
        throw placed(error, path, `plugins[${index}].configuration`)
      }
    } else if (file !== '') found[plugin] = load(plugin, parseText(await read(file), file), { ...context, path: file })
  }
  return complete(found as Loaded, ports)
}

async function complete(loaded: Loaded, ports: ConnectionPorts): Promise<PluginConfigurations> {
  const { MutatingAdmissionWebhook: mutating, ValidatingAdmissionWebhook: validating, ImagePolicyWebhook: policy, ...others } = loaded
  const images = async ({ connectionFile, ...settings }: NonNullable<Loaded['ImagePolicyWebhook']>) => ({
    ...settings,
    connection: await loadConnectionFile(connectionFile, ports),
  })
  const credentials = async (file: string) => ({ credentials: await loadWebhookCredentials(file, ports) })
  return {
    ...others,
    ...(mutating && { MutatingAdmissionWebhook: await credentials(mutating) }),
    ...(validating && { ValidatingAdmissionWebhook: await credentials(validating) }),
    ...(policy && { ImagePolicyWebhook: await images(policy) }),
  }
}
