import { bool, duration } from '../flag-types.ts'
import { sets } from '../option-flag.ts'

export const lifecycleFlags = {
  'event-ttl': duration(sets('storage', 'eventTtl')),
  'livez-grace-period': duration(sets('serving', 'livezGracePeriod')),
  'shutdown-delay-duration': duration({
    default: 0,
    help: 'Delay between the shutdown signal and the shutdown. During it the server keeps serving, and /readyz fails.',
  }),
  'shutdown-send-retry-after': bool({
    help: 'Keep listening while requests in flight are drained; answer new requests with 429, Retry-After and Connection: close.',
  }),
  'shutdown-watch-termination-grace-period': duration({
    default: 0,
    help: 'Time over which watches are ended at shutdown, at least 200 per second. 0: all at once.',
  }),
}
