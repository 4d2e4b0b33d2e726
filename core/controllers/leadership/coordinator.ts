/**
 * Coordinated leader election (KEP-4355): pings the candidates of a lease, and gives the lease to the best one that answers
 * (pkg/controlplane/controller/leaderelection/leaderelection_controller.go).
 */

import type { ServedResource } from '../../objects/registry/served.ts'
import { follow } from '../../objects/watch/follow.ts'
import type { ApiObject } from '../../resources/definition.ts'
import { microTimestamp } from '../../schema/formats/time.ts'
import { equal } from '../../schema/json/equal.ts'
import { messageOf } from '../../schema/message-of.ts'
import type { Json } from '../../schema/model.ts'
import { ownWrite } from '../client.ts'
import type { ControllerContext } from '../controller.ts'
import { createQueue } from '../queue.ts'
import {
  bestCandidate,
  bestStrategy,
  type Candidate,
  candidateOf,
  candidateValidity,
  isCandidateExpired,
  isLeaseExpired,
  isPending,
  type LeaseSpec,
  leaseSpecOf,
  oldestEmulationVersion,
} from './election.ts'

/** Milliseconds until a lease with candidates is looked at again. */
const interval = 5_000
/** Milliseconds that candidates have to answer, and for which an answer counts. */
const electionDuration = 5_000
/** Seconds for which the elected candidate has the lease before it renews it. */
const leaseSeconds = 5

/** Why an election is held, or not: the lease has a holder that is alive and the best one, and all candidates have answered lately. */
function needsElection(candidates: readonly Candidate[], lease: ApiObject | undefined, now: number): boolean {
  if (lease === undefined) return true
  const { holderIdentity = '', ...spec } = leaseSpecOf(lease)
  if (isLeaseExpired(spec, now) || holderIdentity === '') return true
  // Twice in the time after which a candidate does not count any more.
  if (candidates.some(({ renewed }) => renewed !== undefined && renewed + candidateValidity / 2 < now)) return true
  if (bestStrategy(candidates) !== oldestEmulationVersion) return false
  const best = bestCandidate(candidates)
  return best !== undefined && best.name !== holderIdentity
}

const answered = ({ renewed }: Candidate, now: number) => renewed !== undefined && renewed + electionDuration > now
const wasPinged = ({ pinged }: Candidate, now: number) => pinged !== undefined && pinged + electionDuration > now

/** Whether to ask the candidate if it is alive: a candidate that did not answer the last ping is not asked again. */
const needsPing = (candidate: Candidate, now: number) =>
  !answered(candidate, now) && (candidate.pinged === undefined || (candidate.pinged + electionDuration < now && !isPending(candidate)))

/** The spec of a lease for the elected holder; undefined holder: another component elects by this strategy. */
function changedSpec(stored: LeaseSpec, strategy: string, holder: string | undefined, now: number): LeaseSpec {
  const { preferredHolder, acquireTime, ...spec } = stored
  const current = stored.holderIdentity ?? ''
  if (holder === undefined || holder === current) return { ...stored, strategy }
  if (current === '' || isLeaseExpired(stored, now))
    return { ...spec, strategy, holderIdentity: holder, renewTime: microTimestamp(now), leaseDurationSeconds: leaseSeconds }
  // The present holder gives the lease up when it sees this.
  return { ...stored, strategy, preferredHolder: holder }
}

/** Elects until the returned function is called. */
export function startCoordinator(context: ControllerContext, leases: ServedResource, candidates: ServedResource): () => void {
  const { clock, logger } = context
  const [ofLeases, ofCandidates] = [context.client(leases.definition), context.client(candidates.definition)]
  const known = new Map<string, Candidate>()
  /** Timers by lease: each has at most one. */
  const timers = new Map<string, () => void>()

  const keyOf = (namespace: string, name: string) => `${namespace}/${name}`
  const leaseOf = ({ object, spec }: Candidate) => keyOf(object.metadata.namespace ?? '', spec.leaseName ?? '')
  const candidatesOf = (key: string) => Array.from(known.values()).filter((each) => leaseOf(each) === key)

  async function ping({ object, spec }: Candidate): Promise<void> {
    await ofCandidates.update({ ...object, spec: { ...spec, pingTime: microTimestamp(clock.now()) } })
  }

  async function write(namespace: string, name: string, strategy: string, holder: string | undefined): Promise<void> {
    const now = clock.now()
    const stored = await ofLeases.get(namespace, name)
    if (stored === undefined) {
      const spec = {
        strategy,
        leaseDurationSeconds: leaseSeconds,
        renewTime: microTimestamp(now),
        ...(holder && { holderIdentity: holder }),
      }
      const { group, version } = leases.definition
      await ofLeases.create(namespace, { kind: 'Lease', apiVersion: `${group}/${version}`, metadata: { namespace, name }, spec })
    } else {
      const spec = changedSpec(leaseSpecOf(stored), strategy, holder, now)
      if (equal(spec as Json, leaseSpecOf(stored) as Json)) return
      await ofLeases.update({ ...stored, spec })
    }
    logger.info({ lease: keyOf(namespace, name), holder, strategy }, 'coordinated leader election: lease written')
  }

  /** One step of an election; the next one follows a change of a candidate, or a timer. */
  async function step(key: string, admissible: readonly Candidate[]): Promise<void> {
    const [namespace = '', name = ''] = key.split('/')
    const lease = await leases.store.get({ namespace, name })
    const now = clock.now()
    if (!needsElection(admissible, lease?.copy(), now)) return
    const pinging = admissible.filter((each) => needsPing(each, now))
    await Promise.all(pinging.map(ping))
    if (pinging.length > 0 || admissible.some((each) => isPending(each) && wasPinged(each, now))) return
    const voters = admissible.filter((each) => answered(each, now))
    if (voters.length === 0) throw new Error('no candidate answers')
    const strategy = bestStrategy(voters)
    const holder = strategy === oldestEmulationVersion ? bestCandidate(voters)?.name : undefined
    if (strategy === oldestEmulationVersion && holder === undefined) throw new Error('no candidate has versions that can be compared')
    await write(namespace, name, strategy, holder)
  }

  const queue = createQueue({
    ...context,
    name: 'leader-election-controller',
    workers: 1,
    async work(key) {
      timers.get(key)?.()
      timers.delete(key)
      const admissible = candidatesOf(key).filter((each) => !isCandidateExpired(each, clock.now()))
      if (admissible.length === 0) return
      try {
        await ownWrite(() => step(key, admissible))
      } catch (error) {
        logger.warn({ lease: key, error: messageOf(error) }, 'coordinated leader election: no holder could be elected')
      }
      timers.set(
        key,
        clock.after(interval, () => queue.add(key)),
      )
    },
  })

  const ofObjects = follow(candidates.store, clock, {
    upsert({ key, object }) {
      const candidate = candidateOf(object)
      known.set(key, candidate)
      // It was just pinged: only its answer matters.
      if (!isPending(candidate)) queue.add(leaseOf(candidate))
    },
    remove({ key }) {
      const candidate = known.get(key)
      known.delete(key)
      if (candidate) queue.add(leaseOf(candidate))
    },
  })
  // Most leases have no candidates: those of nodes. They are not decoded.
  const ofEntries = follow(leases.store, clock, {
    change({ entry }) {
      const key = keyOf(entry.namespace, entry.name)
      if (candidatesOf(key).length > 0) queue.add(key)
    },
  })
  return () => {
    ofObjects.close()
    ofEntries.close()
    queue.close()
    for (const cancel of timers.values()) cancel()
  }
}
