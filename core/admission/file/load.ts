/** Loads the file of `--admission-control-config-file`, and the files that it refers to. */

import type { FeatureGates } from '../../config/feature-gates.ts'
import { ConfigurationFileError } from '../../config/files/error.ts'
import { type FileContext, type FileKind, validateKind } from '../../config/files/kind.ts'
import { loadFile, parseText } from '../../config/files/load.ts'
import { type ConnectionPorts, loadConnectionFile } from '../../outgoing/webhook/connection-file.ts'
import { loadWebhookCredentials } from '../../outgoing/webhook/credentials-file.ts'
import type { Platform } from '../../platform.ts'
import { messageOf } from '../../schema/message-of.ts'
import type { PluginConfigurations } from '../configuration.ts'
import type { ManifestPlugin } from '../manifest/kinds.ts'
import { openManifests } from '../manifest/load.ts'
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
  return complete(found as Loaded, { platform, gates, ports })
}

async function complete(loaded: Loaded, { platform, gates, ports }: AdmissionFileContext): Promise<PluginConfigurations> {
  const { MutatingAdmissionWebhook, ValidatingAdmissionWebhook, ImagePolicyWebhook: policy, ...rest } = loaded
  const { MutatingAdmissionPolicy, ValidatingAdmissionPolicy, ...others } = rest
  const images = async ({ connectionFile, ...settings }: NonNullable<Loaded['ImagePolicyWebhook']>) => ({
    ...settings,
    connection: await loadConnectionFile(connectionFile, ports),
  })
  const manifests = async (plugin: ManifestPlugin, folder: string) => {
    if (folder === '') return {}
    const what = plugin.endsWith('Webhook') ? 'webhook' : 'policy'
    const context = { files: ports.files, platform, enabled: gates.enabled }
    const opened = openManifests(folder, plugin, context).catch((error: unknown) => {
      throw new Error(`failed to load static ${what} manifests from ${JSON.stringify(folder)}: ${messageOf(error)}`)
    })
    return { manifests: await opened }
  }
  const webhooks = async (plugin: 'MutatingAdmissionWebhook' | 'ValidatingAdmissionWebhook') => {
    const given = { MutatingAdmissionWebhook, ValidatingAdmissionWebhook }[plugin]
    if (given === undefined) return {}
    const { credentialsFile, manifestsFolder } = given
    const credentials = credentialsFile === '' ? {} : { credentials: await loadWebhookCredentials(credentialsFile, ports) }
    return { [plugin]: { ...credentials, ...(await manifests(plugin, manifestsFolder)) } }
  }
  const policies = async (plugin: 'MutatingAdmissionPolicy' | 'ValidatingAdmissionPolicy') => {
    const given = { MutatingAdmissionPolicy, ValidatingAdmissionPolicy }[plugin]
    return given === undefined ? {} : { [plugin]: await manifests(plugin, given.manifestsFolder) }
  }
  return {
    ...others,
    ...(await webhooks('MutatingAdmissionWebhook')),
    ...(await webhooks('ValidatingAdmissionWebhook')),
    ...(await policies('MutatingAdmissionPolicy')),
    ...(await policies('ValidatingAdmissionPolicy')),
    ...(policy && { ImagePolicyWebhook: await images(policy) }),
  }
}
