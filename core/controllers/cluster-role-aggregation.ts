/** Updates the rules of aggregated cluster roles. */
import { aggregate, type ClusterRoleObject, selects } from '../authz/rbac-aggregate.ts'
import { equal } from '../schema/equal.ts'
import type { Json } from '../schema/model.ts'
import { follow } from '../watch/follow.ts'
import type { Controller } from './controller.ts'
import { createQueue } from './queue.ts'

export const clusterRoleAggregation: Controller = ({ platform, table, client, clock, logger, queues }) => {
  const resource = table.lookup(platform.name('rbac.authorization.<domain>'), 'v1', 'clusterroles')
  if (resource === undefined) return () => {}
  const roles = new Map<string, ClusterRoleObject>()
  /** Keys of the roles with an aggregation rule, which are few. */
  const aggregated = new Set<string>()
  const queue = createQueue({
    name: 'clusterrole-aggregation',
    clock,
    logger,
    queues,
    async work(key) {
      const role = roles.get(key)
      if (role?.aggregationRule == null) return
      const rules = aggregate(role, roles.values()) as unknown as Json
      if (!equal(rules, (role.rules ?? []) as unknown as Json))
        await client(resource.definition).mergePatch('', role.metadata.name ?? '', { rules })
    },
  })

  /** Queues the roles that a role's content is part of. */
  function wake(role: ClusterRoleObject): void {
    for (const key of aggregated) if (selects(roles.get(key) as ClusterRoleObject, role)) queue.add(key)
  }

  function set(key: string, role: ClusterRoleObject): void {
    roles.set(key, role)
    if (role.aggregationRule == null) aggregated.delete(key)
    else aggregated.add(key)
  }

  function change(key: string, role: ClusterRoleObject | undefined): void {
    const before = roles.get(key)
    if (role) set(key, role)
    else {
      roles.delete(key)
      aggregated.delete(key)
    }
    if (aggregated.has(key)) queue.add(key)
    if (before) wake(before)
    if (role) wake(role)
  }

  const following = follow(resource.store, clock, {
    replace(entries) {
      roles.clear()
      aggregated.clear()
      for (const entry of entries) set(entry.key, entry.decode())
      for (const key of aggregated) queue.add(key)
    },
    change: ({ deleted, entry }) => change(entry.key, deleted ? undefined : entry.decode()),
  })
  return () => {
    following.close()
    queue.close()
  }
}
