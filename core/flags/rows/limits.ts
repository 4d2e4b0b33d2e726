import { bool, duration, float, int } from '../flag-types.ts'

export const limitFlags = {
  'max-requests-inflight': int({
    default: 400,
    min: 0,
    implemented: true,
    help: 'Maximum number of non-mutating requests in flight. 0: no limit. With priority and fairness, it is added to the total concurrency limit.',
  }),
  'max-mutating-requests-inflight': int({
    default: 200,
    min: 0,
    implemented: true,
    help: 'Maximum number of mutating requests in flight. 0: no limit. With priority and fairness, it is added to the total concurrency limit.',
  }),
  'enable-priority-and-fairness': bool({
    default: true,
    help: 'Queue and dispatch requests by priority and fairness. The sum of both in-flight limits must be positive.',
  }),
  'request-timeout': duration({ default: 60_000, implemented: true, help: 'Timeout of requests that are not long-running.' }),
  'min-request-timeout': int({
    default: 1800,
    min: 0,
    implemented: true,
    help: 'Minimum timeout of watches in seconds. A watch without timeoutSeconds gets a random timeout between this and twice this.',
  }),
  'max-connection-bytes-per-sec': int({ min: 0, help: 'Maximum bytes per second of each long-running connection. 0: no limit.' }),
  'http2-max-streams-per-connection': int({
    min: 0,
    max: 2 ** 31 - 1,
    implemented: true,
    help: 'Maximum number of concurrent HTTP/2 streams per connection. 0: the default, 100.',
  }),
  'goaway-chance': float({
    default: 0,
    min: 0,
    max: 0.02,
    implemented: true,
    help: 'Probability that an HTTP/2 request closes its connection with GOAWAY, 0 to 0.02. Use it only with several servers behind a load balancer.',
  }),
  'nodeagent-timeout': duration({ default: 5_000, help: 'Timeout of calls to node agents.' }),
}
