import { bool, duration, float, int } from '../flag-types.ts'
import { becomes, sets } from '../option-flag.ts'

export const limitFlags = {
  'max-requests-inflight': int(sets('traffic', 'maxReadOnlyInFlight')),
  'max-mutating-requests-inflight': int(sets('traffic', 'maxMutatingInFlight')),
  'enable-priority-and-fairness': bool({
    default: true,
    help: 'Queue and dispatch requests by priority and fairness. The sum of both in-flight limits must be positive.',
    ...becomes('traffic', 'priorityAndFairness', (isOn: boolean) => (isOn ? 'on' : 'objects')),
  }),
  'request-timeout': duration(sets('traffic', 'requestTimeout')),
  'min-request-timeout': int(sets('traffic', 'minRequestTimeout')),
  'max-connection-bytes-per-sec': int(sets('traffic', 'maxConnectionBytesPerSecond')),
  'http2-max-streams-per-connection': int({
    min: 0,
    max: 2 ** 31 - 1,
    help: 'Maximum number of concurrent HTTP/2 streams per connection. 0: the default, 100.',
  }),
  'goaway-chance': float(sets('traffic', 'goawayChance')),
  'nodeagent-timeout': duration(sets('network', 'nodeAgentTimeout')),
}
