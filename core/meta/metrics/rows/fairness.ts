import {
  demandBounds,
  estimateBounds,
  kindBounds,
  queueLengthBounds,
  requestBounds,
  seatBounds,
  secondsBounds,
  watchBounds,
} from '../../../fairness/bounds.ts'
import { counter, gauge, histogram, type Stability } from '../../../metrics.ts'

const ofLevel = ['priority_level'] as const
const ofSchema = ['priority_level', 'flow_schema'] as const

const level = (name: string, help: string, stability: Stability = 'ALPHA') =>
  gauge(`apiserver_flowcontrol_${name}`, { help, stability, labels: ofLevel })
const schema = (name: string, help: string, stability: Stability = 'ALPHA') =>
  gauge(`apiserver_flowcontrol_${name}`, { help, stability, labels: ofSchema })
const bounds = (name: string, help: string) => gauge(`apiserver_flowcontrol_${name}`, { help, labels: [...ofLevel, 'bound'] })
const distribution = <const Labels extends readonly string[]>(
  name: string,
  help: string,
  labels: Labels,
  buckets: readonly number[],
  stability: Stability = 'ALPHA',
) => histogram(`apiserver_flowcontrol_${name}`, { help, stability, labels, buckets })

/** Priority and fairness. */
export const fairnessRows = {
  dispatched: counter('apiserver_flowcontrol_dispatched_requests_total', {
    stability: 'BETA',
    help: 'Requests that ran.',
    labels: ofSchema,
  }),
  rejected: counter('apiserver_flowcontrol_rejected_requests_total', {
    stability: 'BETA',
    help: 'Requests that were refused.',
    labels: [...ofSchema, 'reason'],
  }),
  unaccommodated: counter('apiserver_flowcontrol_request_dispatch_no_accommodation_total', {
    help: 'Times that the next request needed more seats than there were.',
    labels: ofSchema,
  }),
  meterResets: counter('apiserver_flowcontrol_epoch_advance_total', {
    help: 'Times that the meter of virtual time was wound back.',
    labels: [...ofLevel, 'success'],
  }),
  running: schema('current_executing_requests', 'Requests that run; watches until they have sent their initial events.', 'BETA'),
  seats: schema('current_executing_seats', 'Seats of requests that run; of watches until they have sent their initial events.', 'BETA'),
  formerSeats: gauge('apiserver_flowcontrol_request_concurrency_in_use', {
    help: 'Seats of requests that run; of watches until they have sent their initial events.',
    deprecated: '1.31.0',
    labels: ofSchema,
  }),
  waiting: schema('current_inqueue_requests', 'Requests in queues.', 'BETA'),
  seatsWaiting: schema('current_inqueue_seats', 'Seats of requests in queues.'),
  queueLengths: distribution(
    'request_queue_length_after_enqueue',
    'Length of the queue of each request, with the request.',
    ofSchema,
    queueLengthBounds,
  ),
  waits: distribution(
    'request_wait_duration_seconds',
    'Time that requests spent in queues.',
    [...ofSchema, 'execute'],
    secondsBounds,
    'BETA',
  ),
  durations: distribution(
    'request_execution_seconds',
    'Time that requests ran; watches until they had sent their initial events.',
    [...ofSchema, 'type'],
    secondsBounds,
  ),
  watchCounts: distribution('watch_count_samples', 'Watches that writing requests may wake.', ofSchema, watchBounds),
  estimatedSeats: distribution('work_estimated_seats', 'Seats that requests were estimated to need.', ofSchema, estimateBounds),
  nominal: level('nominal_limit_seats', 'Configured seats of the level.', 'BETA'),
  formerNominal: gauge('apiserver_flowcontrol_request_concurrency_limit', {
    help: 'Configured seats of the level.',
    deprecated: '1.30.0',
    labels: ofLevel,
  }),
  least: level('lower_limit_seats', 'Seats that the level does not lend.'),
  most: level('upper_limit_seats', 'Seats of the level with those that it may borrow.'),
  current: level('current_limit_seats', 'Seats of the level in this period.'),
  highestDemand: level('demand_seats_high_watermark', 'Most seats wanted in the last period.'),
  averageDemand: level('demand_seats_average', 'Average of the seats wanted over the last period.'),
  demandDeviation: level('demand_seats_stdev', 'Standard deviation of the seats wanted over the last period.'),
  smoothedDemand: level('demand_seats_smoothed', 'Seats wanted, smoothed over periods.'),
  target: level('target_seats', 'Seats that the level would have if others wanted none.'),
  fairShare: gauge('apiserver_flowcontrol_seat_fair_frac', { help: 'Seats that levels get for each seat of their target.' }),
  meter: level('current_r', 'Meter of virtual time at the last change.'),
  dispatchMeter: level('dispatch_r', 'Meter of virtual time at the last dispatch.'),
  lastStart: level('latest_s', 'Start of the last dispatched request, in virtual time.'),
  nextStarts: bounds('next_s_bounds', 'Least and greatest start of the next requests of all queues, in virtual time.'),
  nextDiscounted: bounds('next_discounted_s_bounds', 'The same, less the work in progress.'),
  seatUtilization: distribution(
    'priority_level_seat_utilization',
    'Seats in use as part of the limit, at every nanosecond.',
    [...ofLevel, 'phase'],
    seatBounds,
    null,
  ),
  requestUtilization: distribution(
    'priority_level_request_utilization',
    'Requests as part of the limit, at every nanosecond.',
    [...ofLevel, 'phase'],
    requestBounds,
    null,
  ),
  demand: distribution('demand_seats', 'Seats wanted as part of the limit, at every nanosecond.', ofLevel, demandBounds, null),
  kinds: distribution(
    'read_vs_write_current_requests',
    'Reading and writing requests as part of the limit, at every nanosecond.',
    ['phase', 'request_kind'],
    kindBounds,
    null,
  ),
}
