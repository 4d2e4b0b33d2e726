/** Deletes candidates that have not renewed for 30 minutes (pkg/controlplane/controller/leaderelection/leasecandidategc_controller.go). */

import type { ServedResource } from '../../objects/registry/served.ts'
import type { ControllerContext } from '../controller.ts'
import { collectExpired } from '../expired-objects.ts'
import { candidateOf, isCandidateExpired } from './election.ts'

/** Milliseconds between collections. */
const interval = 30 * 60_000

/** Collects now and every 30 minutes; the returned function stops it. */
export const collectCandidates = (context: ControllerContext, resource: ServedResource): (() => void) =>
  collectExpired(context, {
    resource,
    namespace: '',
    interval,
    what: 'lease candidates',
    isExpired: (object, now) => isCandidateExpired(candidateOf(object), now),
  })
