/** Who should hold a lease, and what time tells about leases and candidates (pkg/controlplane/controller/leaderelection/election.go). */
import type { LeaseSpec as LeaseSpecSchema } from '../../resources/coordination/lease.ts'
import type { LeaseCandidateSpec } from '../../resources/coordination/v1beta1/leasecandidate.ts'
import type { ApiObject } from '../../resources/definition.ts'
import { epochMilliseconds } from '../../schema/formats/time.ts'
import type { Infer } from '../../schema/model.ts'
import { compareVersions, parseVersion, zero } from './version.ts'

/** The strategy that elects here; leases with others get no holder. */
export const oldestEmulationVersion = 'OldestEmulationVersion'

/** Milliseconds after its last renewal when a candidate does not count any more. */
export const candidateValidity = 30 * 60_000

export type CandidateSpec = Infer<typeof LeaseCandidateSpec>

export type LeaseSpec = Infer<typeof LeaseSpecSchema>

/** A LeaseCandidate of any version. */
export interface Candidate {
  readonly object: ApiObject
  readonly name: string
  readonly spec: CandidateSpec
  /** Milliseconds since the epoch; undefined: unset. */
  readonly renewed: number | undefined
  readonly pinged: number | undefined
}

const timeOf = (text: string | undefined) => (text === undefined ? undefined : epochMilliseconds(text))

export function candidateOf(object: ApiObject): Candidate {
  const spec = (object['spec'] ?? {}) as CandidateSpec
  return { object, name: object.metadata.name ?? '', spec, renewed: timeOf(spec.renewTime), pinged: timeOf(spec.pingTime) }
}

export const leaseSpecOf = (lease: ApiObject) => (lease['spec'] ?? {}) as LeaseSpec

/** Whether a candidate was pinged and has not answered since. */
export const isPending = ({ pinged, renewed }: Candidate) => pinged !== undefined && renewed !== undefined && renewed < pinged

export const isCandidateExpired = ({ renewed }: Candidate, now: number) => renewed === undefined || renewed + candidateValidity < now

/** Times in milliseconds since the epoch. */
export function isLeaseExpired({ renewTime, leaseDurationSeconds }: LeaseSpec, now: number): boolean {
  const renewed = timeOf(renewTime)
  return renewed === undefined || leaseDurationSeconds === undefined || renewed + leaseDurationSeconds * 1000 < now
}

const versionOf = (text = '') => parseVersion(text) ?? zero
const binaryOf = ({ spec }: Candidate) => versionOf(spec.binaryVersion)
const emulationOf = ({ spec }: Candidate) => versionOf(spec.emulationVersion)
const createdOf = ({ object }: Candidate) => timeOf(object.metadata.creationTimestamp) ?? 0

/** Negative when `one` should lead: the older emulated version, then the older binary version, then the older candidate. */
const compare = (one: Candidate, other: Candidate) =>
  compareVersions(emulationOf(one), emulationOf(other)) ||
  compareVersions(binaryOf(one), binaryOf(other)) ||
  createdOf(one) - createdOf(other) ||
  -1

/** The candidate that should lead; undefined when none has versions that can be compared. */
export function bestCandidate(candidates: readonly Candidate[]): Candidate | undefined {
  const valid = candidates.filter(
    ({ spec }) => parseVersion(spec.emulationVersion ?? '') !== undefined && parseVersion(spec.binaryVersion ?? '') !== undefined,
  )
  return valid.reduce<Candidate | undefined>((best, each) => (best === undefined || compare(best, each) > 0 ? each : best), undefined)
}

/**
 * The strategy of the candidates with the highest binary version.
 * @throws Error when those differ, or when there is no candidate.
 */
export function bestStrategy(candidates: readonly Candidate[]): string {
  const [first, ...others] = candidates
  if (first === undefined) throw new Error('there is no candidate')
  let best = first
  for (const each of others) {
    const result = compareVersions(binaryOf(best), binaryOf(each))
    if (result === 0 && best.spec.strategy !== each.spec.strategy)
      throw new Error(`the candidates ${best.name} and ${each.name} have one binary version and different strategies`)
    if (result < 0) best = each
  }
  return best.spec.strategy ?? ''
}
