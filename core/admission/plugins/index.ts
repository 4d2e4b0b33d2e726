import type { Platform } from '../../platform.ts'
import type { ApiObject } from '../../resources/definition.ts'
import type { AdmissionPlugin } from '../attributes.ts'
import { namespaceLifecycle } from './namespace-lifecycle.ts'

/** What plugins look things up with. */
export interface PluginContext {
  readonly platform: Platform
  namespace(name: string): Promise<ApiObject | undefined>
}

/** Plugins in the order in which they run in each phase, by registered name; `byDefault` unless a flag says otherwise. */
const plugins: readonly { readonly name: string; readonly byDefault: boolean; make(context: PluginContext): AdmissionPlugin }[] = [
  { name: 'NamespaceLifecycle', byDefault: true, make: ({ platform, namespace }) => namespaceLifecycle(platform, namespace) },
]

/** Names that `--enable-admission-plugins` and `--disable-admission-plugins` have an effect for. */
export const builtPlugins: readonly string[] = plugins.map(({ name }) => name)

/** The plugins that run. */
export function choosePlugins(context: PluginContext, enabled: readonly string[], disabled: readonly string[]): AdmissionPlugin[] {
  return plugins
    .filter(({ name, byDefault }) => enabled.includes(name) || (byDefault && !disabled.includes(name)))
    .map(({ make }) => make(context))
}
