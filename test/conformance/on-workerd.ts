/** The suites against a worker on workerd. */
import { startPlain } from '../support/plain-server.ts'
import { root } from '../support/root.ts'
import { without } from '../support/runtimes.ts'
import { customResources } from './custom-resources.ts'
import { httpConformance } from './http.ts'
import type { Open } from './http-suite.ts'

const worker = `${root}test/conformance/workerd.ts`
const command = [process.execPath, '--import', 'tsx', 'wrangler-free-examples/workerd-run.ts', worker] as const
const neverCompacted = 'workerd cancels timers at the end of the request that set them, so the history is never compacted'

/** What workerd, or this way of running it, does not support. */
const gaps = {
  'answers an expired continue token with 410 and a token to resume': neverCompacted,
  'refuses bodies of more than 3 MiB': 'workerd closes the connection before the client has read the response',
}

const open: Open = ({ compactionInterval } = {}) => {
  // Fails at once instead of waiting a minute for a compaction that never happens.
  if (compactionInterval !== undefined) throw new Error(neverCompacted)
  return startPlain(command)
}

export const httpOnWorkerd = () => httpConformance('HTTP in-process on workerd', open, { skip: without('workerd'), gaps })

export const customResourcesOnWorkerd = () =>
  customResources('custom resources in-process on workerd', () => startPlain(command), { skip: without('workerd') })
