import { FieldPath } from '../../schema/field-path.ts'
import type { Infer } from '../../schema/model.ts'
import { networkWarnings } from '../address-warnings.ts'
import { boundedWarnings } from '../warnings.ts'
import type { NetworkPolicy, NetworkPolicyPeer } from './networkpolicy.ts'

const spec = FieldPath.of('spec')

export const networkPolicyWarnings = (policy: Infer<typeof NetworkPolicy>) => boundedWarnings(warningsOf(policy))

function* warningsOf(policy: Infer<typeof NetworkPolicy>): Iterable<string> {
  const { ingress = [], egress = [] } = policy.spec ?? {}
  for (const [index, { from }] of ingress.entries()) yield* peerWarnings(from, spec.child('ingress').index(index).child('from'))
  for (const [index, { to }] of egress.entries()) yield* peerWarnings(to, spec.child('egress').index(index).child('to'))
}

function* peerWarnings(peers: readonly Infer<typeof NetworkPolicyPeer>[] = [], path: FieldPath): Iterable<string> {
  for (const [index, { ipBlock }] of peers.entries()) {
    if (ipBlock === undefined) continue
    const at = path.index(index).child('ipBlock')
    yield* networkWarnings(at.child('cidr'), ipBlock.cidr)
    for (const [position, range] of (ipBlock.except ?? []).entries()) yield* networkWarnings(at.child('except').index(position), range)
  }
}
