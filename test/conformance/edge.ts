/** Starts control planes as Durable Objects under workerd. */
import type { ServerOptions } from '../../runtimes/edge/index.ts'
import { startPlain } from '../support/plain-server.ts'
import { root } from '../support/root.ts'

const runner = [process.execPath, '--import', 'tsx', `${root}wrangler-free-examples/workerd-run.ts`] as const

/** `disk`: a directory for what it stores; default: memory. `store`: that of the control planes; default: tables of the object. */
export const startEdge = (options: ServerOptions = {}, disk?: string, store?: 'memory'): ReturnType<typeof startPlain> =>
  startPlain([
    ...runner,
    ...(disk === undefined ? [] : ['--disk', disk]),
    '--variable',
    `OPTIONS=${JSON.stringify(options)}`,
    ...(store === undefined ? [] : ['--variable', `STORE=${store}`]),
    `${root}test/conformance/durable-object.ts`,
  ])
