/** Records since when the use of legacy tokens is tracked; the cleaner of unused tokens needs the date (KEP-2799). */
import type { ResourceTable } from '../../objects/registry/served.ts'
import type { HookContext } from '../../schema/model.ts'
import { ensureAll } from './objects.ts'

export function ensureLegacyTokenTracking(table: ResourceTable, context: HookContext): Promise<void> {
  const { platform, now } = context
  const name = `${platform.component}-apiserver-legacy-service-account-token-tracking`
  const metadata = { namespace: platform.namespaces.system, name }
  const since = new Date(now).toISOString().slice(0, 10)
  const object = { kind: 'ConfigMap', apiVersion: 'v1', metadata, data: { since } }
  return ensureAll(table.lookup('', 'v1', 'configmaps'), [object], context)
}
