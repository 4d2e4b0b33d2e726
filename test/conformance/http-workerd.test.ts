import { startPlain } from '../support/plain-server.ts'
import { root } from '../support/root.ts'
import { without } from '../support/runtimes.ts'
import { httpConformance } from './http.ts'

const worker = `${root}test/conformance/workerd.ts`
const command = [process.execPath, '--import', 'tsx', 'wrangler-free-examples/workerd-run.ts', worker] as const

/** What a worker can't do, or this host of it does not. */
const gaps = {
  'answers an expired token with 410 and a way to go on':
    'workerd cancels timers at the end of the request that set them, so the history is never compacted',
  'refuses bodies of more than 3 MiB': 'the connection is closed before the client has read the answer',
}

httpConformance('HTTP in-process on workerd', () => startPlain(command), { skip: without('workerd'), gaps })
