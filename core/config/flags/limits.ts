import { bool, duration, float, int } from '../flag-types.ts'

export const limitFlags = {
  'max-requests-inflight': int({
    default: 400,
    min: 0,
    built: true,
    help: 'Reading requests at once, at most; 0: no limit. With priority and fairness, a part of the total.',
  }),
  'max-mutating-requests-inflight': int({
    default: 200,
    min: 0,
    built: true,
    help: 'Changing requests at once, at most; 0: no limit. With priority and fairness, a part of the total.',
  }),
  'enable-priority-and-fairness': bool({
    default: true,
    help: 'Queue requests by priority and fairness within the sum of both limits, which must then be positive.',
  }),
  'request-timeout': duration({ default: 60_000, built: true, help: 'Time-out of requests that do not last by nature.' }),
  'min-request-timeout': int({
    default: 1800,
    min: 0,
    built: true,
    help: 'Seconds that a watch lasts at least; each gets a random time above it.',
  }),
  'max-connection-bytes-per-sec': int({ min: 0, help: 'Bytes a second of a long-running connection; 0: no limit.' }),
  'http2-max-streams-per-connection': int({
    min: 0,
    max: 2 ** 31 - 1,
    built: true,
    help: "HTTP/2 streams of a connection that clients are allowed; 0: the runtime's own choice.",
  }),
  'goaway-chance': float({
    default: 0,
    min: 0,
    max: 0.02,
    built: true,
    help: 'Part of HTTP/2 requests after which the client is asked to connect anew, 0 to 0.02. Not for a single server.',
  }),
  'nodeagent-timeout': duration({ default: 5_000, help: 'Time-out of calls to node agents.' }),
}
