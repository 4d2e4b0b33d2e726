import { bool, duration } from '../flag-types.ts'

export const lifecycleFlags = {
  'event-ttl': duration({ default: 3_600_000, built: true, help: 'How long events are kept.' }),
  'livez-grace-period': duration({
    default: 0,
    built: true,
    help: 'Time after the start in which /livez takes unfinished start-up work for good.',
  }),
  'shutdown-delay-duration': duration({
    default: 0,
    built: true,
    help: 'Time after a signal to end in which the server still serves, with /readyz failing, before it begins to shut down.',
  }),
  'shutdown-send-retry-after': bool({
    help: 'While requests in flight are drained, keep listening and answer new ones with 429, Retry-After and Connection: close.',
  }),
  'shutdown-watch-termination-grace-period': duration({
    default: 0,
    help: 'Longest time to wait for watches to end at shutdown; 0: none.',
  }),
}
