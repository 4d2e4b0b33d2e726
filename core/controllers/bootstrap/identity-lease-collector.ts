/** Collection of the identity leases of servers that are gone. */

import type { ApiObject } from '../../resources/definition.ts'
import { epochMilliseconds } from '../../schema/formats/time.ts'
import type { ControllerContext } from '../controller.ts'
import { collectExpired } from '../expired-objects.ts'
import { identitySelector } from './identity-lease.ts'

/** Milliseconds between collections. */
const interval = 3_600_000

/** Leases without these fields are not from a server. */
function isExpired({ spec }: ApiObject, now: number): boolean {
  const { renewTime, leaseDurationSeconds } = (spec ?? {}) as { readonly renewTime?: string; readonly leaseDurationSeconds?: number }
  if (renewTime === undefined || leaseDurationSeconds === undefined) return true
  return (epochMilliseconds(renewTime) ?? 0) + leaseDurationSeconds * 1000 < now
}

/** Deletes expired identity leases now and every hour (pkg/controlplane/controller/apiserverleasegc); the returned function stops it. */
export function collectIdentityLeases(context: ControllerContext): () => void {
  const { platform, table } = context
  const resource = table.lookup(platform.name('coordination.<domain>'), 'v1', 'leases')
  if (resource === undefined) return () => {}
  const isIdentity = identitySelector(platform)
  return collectExpired(context, {
    resource,
    namespace: platform.namespaces.system,
    interval,
    what: 'identity leases of API servers',
    isExpired: (lease, now) => isIdentity(lease.metadata.labels) && isExpired(lease, now),
  })
}
