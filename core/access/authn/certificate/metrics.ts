import { histogram } from '../../../metrics.ts'

const [hour, day] = [3_600, 86_400]

export const certificateRows = {
  remaining: histogram(
    'apiserver_client_certificate_expiration_seconds',
    'Remaining lifetime of the client certificate of a request, in seconds.',
    { buckets: [...[0, 0.5, 1, 2, 6, 12].map((hours) => hours * hour), ...[1, 2, 4, 7, 30, 90, 180, 360].map((days) => days * day)] },
  ),
}
