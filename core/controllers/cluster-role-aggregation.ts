/** Updates the rules of aggregated cluster roles. */
import { aggregate, type ClusterRoleObject } from '../authz/rbac-aggregate.ts'
import type { ApiObject } from '../resources/definition.ts'
import { equal } from '../schema/equal.ts'
import type { Json } from '../schema/model.ts'
import { follow } from '../watch/follow.ts'
import type { Controller } from './controller.ts'
import { createQueue } from './queue.ts'

/** Single queue key: roles are few, and each can affect every other. */
const everything = 'all'

export const clusterRoleAggregation: Controller = ({ platform, table, client, clock, logger, queues }) => {
  const resource = table.lookup(platform.name('rbac.authorization.<domain>'), 'v1', 'clusterroles')
  if (resource === undefined) return () => {}
  const roles = new Map<string, ApiObject>()
  const queue = createQueue({
    name: 'clusterrole-aggregation',
    clock,
    logger,
    queues,
    async work() {
      const all = [...roles.values()]
      for (const role of all) {
        if (role['aggregationRule'] == null) continue
        const rules = aggregate(role as ClusterRoleObject, all as ClusterRoleObject[]) as unknown as Json
        if (!equal(rules, (role['rules'] ?? []) as Json))
          await client(resource.definition).mergePatch('', role.metadata.name ?? '', { rules })
      }
    },
  })
  const following = follow(resource.store, clock, {
    replace(entries) {
      roles.clear()
      for (const entry of entries) roles.set(entry.key, entry.decode())
      queue.add(everything)
    },
    change({ deleted, entry }) {
      if (deleted) roles.delete(entry.key)
      else roles.set(entry.key, entry.decode())
      queue.add(everything)
    },
  })
  return () => {
    following.close()
    queue.close()
  }
}
