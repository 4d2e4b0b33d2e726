import type { ResourceTable } from '../../objects/registry/served.ts'
import type { HookContext } from '../../schema/model.ts'
import { ensureAll } from './objects.ts'

const rows: readonly (readonly [name: string, value: number, description: string])[] = [
  ['system-node-critical', 2_000_001_000, 'Used for system critical pods that must not be moved from their current node.'],
  [
    'system-cluster-critical',
    2_000_000_000,
    'Used for system critical pods that must run in the cluster, but can be moved to another node if necessary.',
  ],
]

/** Creates the system's priority classes. */
export function ensurePriorityClasses(table: ResourceTable, context: HookContext): Promise<void> {
  const group = context.platform.name('scheduling.<domain>')
  const common = { kind: 'PriorityClass', apiVersion: `${group}/v1` }
  const objects = rows.map(([name, value, description]) => ({ ...common, metadata: { name }, value, description }))
  return ensureAll(table.lookup(group, 'v1', 'priorityclasses'), objects, context)
}
