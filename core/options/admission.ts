/** What is allowed to be stored. */
import { type AdmissionPlugin, admissionOperations } from '../admission/attributes.ts'
import type { PluginConfigurations } from '../admission/configuration.ts'
import { admissionPlugins, defaultAdmissionPlugins } from '../admission/plugins/index.ts'
import { type Complete, complete, option, typesOf } from './option.ts'
import { bool, callable, groupResources, having, integer, items, list, object, oneOf, type RowsOf, refined, shape, text } from './types.ts'

const names: readonly string[] = admissionPlugins.map(({ name }) => name).sort()

/** Names of admission plugins. */
const pluginNames = items((name) => (names.includes(name) ? undefined : 'is not an admission plugin'))

const pluginConfigurations = {
  MutatingAdmissionWebhook: object,
  ValidatingAdmissionWebhook: object,
  MutatingAdmissionPolicy: object,
  ValidatingAdmissionPolicy: object,
  PodSecurity: object,
  ResourceQuota: object,
  EventRateLimit: object,
  PodNodeSelector: object,
  PodTolerationRestriction: object,
  ImagePolicyWebhook: object,
} satisfies RowsOf<PluginConfigurations>

const extraPlugin = refined<AdmissionPlugin>(
  having(
    {
      name: text,
      operations: list(oneOf(admissionOperations)),
      resources: groupResources,
      mutate: callable,
      validate: callable,
      close: callable,
    },
    ['name', 'operations'],
  ),
  ({ mutate, validate }) => (mutate || validate ? undefined : 'must have mutate or validate'),
)

/** `tolerationSeconds`. */
export const tolerations = {
  notReady: option(integer, {
    default: 300,
    description: 'tolerationSeconds of the notReady:NoExecute toleration that pods get by default.',
  }),
  unreachable: option(integer, {
    default: 300,
    description: 'tolerationSeconds of the unreachable:NoExecute toleration that pods get by default.',
  }),
}

/** `admissionPlugins`. */
export const pluginChoices = {
  enable: option(pluginNames, {
    default: [],
    description: `Plugins to enable in addition to the default ones. The order does not matter. Default plugins: ${defaultAdmissionPlugins.join(', ')}. All plugins: ${names.join(', ')}.`,
  }),
  disable: option(pluginNames, { default: [], description: 'Default plugins to disable. The order does not matter.' }),
}

/** Why the choices contradict each other. `named`: what they are called where they are given. */
export function pluginsInBoth(
  { enable = [], disable = [] }: Partial<Complete<typeof pluginChoices>>,
  named: (choice: keyof typeof pluginChoices) => string = (choice) => choice,
): string | undefined {
  const both = enable.filter((name) => disable.includes(name))
  return both.length === 0 ? undefined : `${named('enable')} and ${named('disable')} overlap: ${[...new Set(both)].join(', ')}`
}

export const admissionOptions = {
  admissionPlugins: option<Partial<Complete<typeof pluginChoices>>>(
    refined(shape(typesOf(pluginChoices)), (chosen) => pluginsInBoth(chosen)),
    {
      default: {},
      description: 'Admission plugins to enable in addition to the default ones, and default ones to disable.',
    },
  ),
  extraPlugins: option(list(extraPlugin), { default: [], description: 'Additional admission plugins, which run after the built-in ones.' }),
  admissionFile: option(text, { default: '', description: 'Path of the AdmissionConfiguration file.' }),
  dryRunWebhooks: option(bool, {
    default: false,
    description:
      'Call admission webhooks as for dry runs: they are told so, and a request for which one with side effects would be called is refused.',
  }),
  pluginConfigurations: option<PluginConfigurations>(shape(pluginConfigurations), {
    default: {},
    description:
      "Configuration of admission plugins by name. Plugins that admissionFile configures don't read it. Default: each plugin's own defaults.",
  }),
  tolerationSeconds: option<{ readonly notReady: number; readonly unreachable: number }>(
    shape(typesOf(tolerations), Object.keys(tolerations)),
    {
      make: (platform) => complete(tolerations, {}, platform),
      description: 'tolerationSeconds of the not-ready and unreachable tolerations that pods get by default.',
    },
  ),
  allowPrivileged: option(bool, { default: true, description: 'Allow privileged containers.' }),
}
