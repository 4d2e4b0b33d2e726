import type { Platform } from '../platform.ts'
import type { ResourceTable } from '../registry/served.ts'
import type { HookContext } from '../schema/model.ts'
import { ensure } from './objects.ts'

const rows: readonly (readonly [name: string, value: number, description: string])[] = [
  ['system-node-critical', 2_000_001_000, 'Used for system critical pods that must not be moved from their current node.'],
  [
    'system-cluster-critical',
    2_000_000_000,
    'Used for system critical pods that must run in the cluster, but can be moved to another node if necessary.',
  ],
]

/** Creates the system's priority classes. */
export async function ensurePriorityClasses(table: ResourceTable, platform: Platform, context: HookContext): Promise<void> {
  const group = platform.name('scheduling.<domain>')
  const classes = table.lookup(group, 'v1', 'priorityclasses')
  if (classes === undefined) return
  const object = ([name, value, description]: (typeof rows)[number]) => ({
    kind: 'PriorityClass',
    apiVersion: `${group}/v1`,
    metadata: { name },
    value,
    description,
  })
  await Promise.all(rows.map((row) => ensure(classes, object(row), context)))
}
