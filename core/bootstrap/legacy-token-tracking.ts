/** Records since when the use of legacy tokens is tracked; the cleaner of unused tokens needs the date (KEP-2799). */
import type { Platform } from '../platform.ts'
import type { ResourceTable } from '../registry/served.ts'
import type { HookContext } from '../schema/model.ts'
import { ensure } from './objects.ts'

export async function ensureLegacyTokenTracking(table: ResourceTable, platform: Platform, context: HookContext): Promise<void> {
  const configMaps = table.lookup('', 'v1', 'configmaps')
  if (configMaps === undefined) return
  const name = `${platform.component}-apiserver-legacy-service-account-token-tracking`
  const metadata = { namespace: platform.namespaces.system, name }
  const since = new Date(context.now).toISOString().slice(0, 10)
  await ensure(configMaps, { kind: 'ConfigMap', apiVersion: 'v1', metadata, data: { since } }, context)
}
