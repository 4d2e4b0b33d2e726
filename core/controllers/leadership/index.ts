/** Runs coordinated leader election on one of several servers: the one that holds the lease `leader-election-controller`. */
import type { ControllerContext } from '../controller.ts'
import { collectCandidates } from './candidate-collector.ts'
import { startCoordinator } from './coordinator.ts'
import { type Elector, startElector } from './elector.ts'

export interface LeadershipOptions {
  /** Name of the host, for the identity of the leader; may be empty. */
  readonly hostname: string
  readonly coordinatedLeaseDuration: number
  readonly coordinatedRenewDeadline: number
  readonly coordinatedRetryPeriod: number
}

const group = 'coordination.<domain>'
/** Version that candidates are read and pinged in, whichever version a candidate uses. */
const candidateVersion = 'v1beta1'

/** Holds no elections unless LeaseCandidates are served in v1beta1 (`--runtime-config`), which the reference needs too. */
export function startLeadership(context: ControllerContext, options: LeadershipOptions): Elector {
  const { platform, table, clock, logger } = context
  const leases = table.lookup(platform.name(group), 'v1', 'leases')
  const candidates = table.lookup(platform.name(group), candidateVersion, 'leasecandidates')
  if (leases === undefined || candidates === undefined) {
    logger.warn({ version: candidateVersion }, 'coordinated leader election is off: LeaseCandidates are not served in this version')
    return { leave: async () => {} }
  }
  return startElector({
    clock,
    logger,
    leases: context.client(leases.definition),
    apiVersion: platform.name(`${group}/v1`),
    namespace: platform.namespaces.system,
    name: 'leader-election-controller',
    identity: `${options.hostname}_${crypto.randomUUID()}`,
    leaseDuration: options.coordinatedLeaseDuration,
    renewDeadline: options.coordinatedRenewDeadline,
    retryPeriod: options.coordinatedRetryPeriod,
    lead() {
      const stops = [startCoordinator(context, leases, candidates), collectCandidates(context, candidates)]
      return () => stops.forEach((stop) => void stop())
    },
  })
}
