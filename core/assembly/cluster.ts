/** What a cluster needs before its first request: namespaces, default objects, IP and port allocations, RBAC rules. */
import { followRbac } from '../authz/rbac-follow.ts'
import type { RbacIndex } from '../authz/rbac-index.ts'
import { ensureClusterService } from '../bootstrap/cluster-service.ts'
import { ensureLegacyTokenTracking } from '../bootstrap/legacy-token-tracking.ts'
import { ensureNamespaces } from '../bootstrap/objects.ts'
import { ensurePriorityClasses } from '../bootstrap/priority-classes.ts'
import { ensureRbac } from '../bootstrap/rbac.ts'
import type { CompleteOptions } from '../options.ts'
import type { Clock, Logger } from '../ports.ts'
import type { ResourceTable } from '../registry/served.ts'
import type { HookContext } from '../schema/model.ts'

export interface ClusterContext {
  readonly table: ResourceTable
  readonly clock: Clock
  readonly logger: Logger
  readonly settings: HookContext['settings']
  /** RBAC index to keep current; absent: RBAC is not an authorization mode. */
  readonly rbac: RbacIndex | undefined
  /** Called with a function that stops each background update. */
  onClose(stop: () => void): void
}

/** Creates what is missing, and starts background updates. */
export async function prepareCluster(
  options: CompleteOptions,
  { table, clock, logger, settings, rbac, onClose }: ClusterContext,
): Promise<void> {
  const { platform } = options
  const context = { platform, settings, now: clock.now() }
  await ensureNamespaces(table, platform, context)
  if (options.serviceAccounts) await ensureLegacyTokenTracking(table, platform, context)
  await ensurePriorityClasses(table, platform, context)
  const reservations = new Set(table.all().flatMap((each) => each.reservations ?? []))
  await Promise.all([...reservations].map(async (each) => onClose(await each.start())))
  await ensureClusterService(table, { ...options, logger }, context)
  if (rbac) {
    await ensureRbac(table, platform, context)
    const storeOf = (plural: string) => table.lookup(platform.name('rbac.authorization.<domain>'), 'v1', plural)!.store
    const stores = {
      roles: storeOf('roles'),
      clusterRoles: storeOf('clusterroles'),
      roleBindings: storeOf('rolebindings'),
      clusterRoleBindings: storeOf('clusterrolebindings'),
    }
    const following = followRbac(rbac, stores, clock)
    onClose(() => following.close())
    await following.ready
  }
}
