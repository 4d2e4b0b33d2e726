/** Updates the rules of aggregated cluster roles. */
import { aggregate, type ClusterRoleObject, selects } from '../access/authz/rbac-aggregate.ts'
import { closing, follow } from '../objects/watch/follow.ts'
import { equal } from '../schema/json/equal.ts'
import type { Json } from '../schema/model.ts'
import type { Controller } from './controller.ts'
import { createQueue } from './queue.ts'

export const clusterRoleAggregation: Controller = (context) => {
  const { platform, table, client, clock } = context
  const resource = table.lookup(platform.name('rbac.authorization.<domain>'), 'v1', 'clusterroles')
  if (resource === undefined) return () => {}
  const roles = new Map<string, ClusterRoleObject>()
  /** Keys of the roles with an aggregation rule, which are few. */
  const aggregated = new Set<string>()
  const queue = createQueue({
    ...context,
    name: 'clusterrole-aggregation',
    async work(key) {
      const role = roles.get(key)
      if (role?.aggregationRule == null) return
      const rules = aggregate(role, roles.values()) as unknown as Json
      if (!equal(rules, (role.rules ?? []) as unknown as Json))
        await client(resource.definition).mergePatch('', role.metadata.name ?? '', { rules })
    },
  })

  /** Whether all roles are known: before that, no rules are complete. */
  let isListed = false

  /** Queues the roles that a role's content is part of. */
  function wake(role: ClusterRoleObject): void {
    if (!isListed) return
    for (const key of aggregated) if (selects(roles.get(key) as ClusterRoleObject, role)) queue.add(key)
  }

  const following = follow(resource.store, clock, {
    upsert({ key, object: role }) {
      const before: ClusterRoleObject | undefined = roles.get(key)
      roles.set(key, role)
      if ((role as ClusterRoleObject).aggregationRule == null) aggregated.delete(key)
      else aggregated.add(key)
      if (isListed && aggregated.has(key)) queue.add(key)
      if (before) wake(before)
      wake(role)
    },
    remove({ key }) {
      const before = roles.get(key)
      roles.delete(key)
      aggregated.delete(key)
      if (before) wake(before)
    },
    listed() {
      isListed = true
      for (const key of aggregated) queue.add(key)
    },
  })
  return closing([following, queue])
}
