import { without } from '../support/runtimes.ts'
import { startEdge } from './edge.ts'
import { httpConformance } from './http.ts'

/** What workerd, or this way of running it, does not support. */
const gaps = { 'refuses bodies of more than 3 MiB': 'workerd closes the connection before the client has read the response' }

httpConformance(
  'HTTP in-process on DurableObject',
  ({ watchCache = true, compactionInterval = 300_000 } = {}) => startEdge({ watchCache, compactionInterval }),
  { skip: without('workerd'), gaps },
)
