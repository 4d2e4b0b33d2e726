import { startPlain } from '../support/plain-server.ts'
import { root } from '../support/root.ts'
import { without } from '../support/runtimes.ts'
import { httpConformance } from './http.ts'
import type { Open } from './http-suite.ts'

const worker = `${root}test/conformance/workerd.ts`
const command = [process.execPath, '--import', 'tsx', 'wrangler-free-examples/workerd-run.ts', worker] as const
const neverCompacted = 'workerd cancels timers at the end of the request that set them, so the history is never compacted'

/** What a worker can't do, or this host of it does not. */
const gaps = {
  'answers an expired token with 410 and a way to go on': neverCompacted,
  'refuses bodies of more than 3 MiB': 'the connection is closed before the client has read the answer',
}

const open: Open = ({ compactionInterval } = {}) => {
  // Rather than to wait a minute for what the worker is not even asked to do.
  if (compactionInterval !== undefined) throw new Error(neverCompacted)
  return startPlain(command)
}

httpConformance('HTTP in-process on workerd', open, { skip: without('workerd'), gaps })
