/** How each run of runs.mjs starts. */
import { customResourcesOnDaemon } from './custom-resources-daemon.ts'
import { bun, type DaemonRuntime, deno, node, node24 } from './daemons.ts'
import { featuresOn } from './features.ts'
import { httpOnDaemon } from './http-daemon.ts'
import { customResourcesInProcess, httpInProcess, watchInProcess } from './in-process.ts'
import { customResourcesOnDurableObject, httpOnDurableObject, watchOnDurableObject } from './on-durable-object.ts'
import { customResourcesOnWorkerd, httpOnWorkerd } from './on-workerd.ts'
import { takeoverOn } from './takeover.ts'
import { watchOnDaemon } from './watch-daemon.ts'

/** Declares the tests of a suite. */
type Declare = () => void | Promise<void>

const daemons = { node, node24, bun, deno }

const onDaemons = (declare: (runtime: DaemonRuntime) => void | Promise<void>): { readonly [runtime: string]: Declare } =>
  Object.fromEntries(Object.entries(daemons).map(([name, runtime]) => [name, () => declare(runtime)]))

const suites: { readonly [suite: string]: { readonly [runtime: string]: Declare } } = {
  http: { ...onDaemons(httpOnDaemon), 'in-process': httpInProcess, workerd: httpOnWorkerd, 'durable-object': httpOnDurableObject },
  watch: { ...onDaemons(watchOnDaemon), 'in-process': watchInProcess, 'durable-object': watchOnDurableObject },
  'custom-resources': {
    ...onDaemons(customResourcesOnDaemon),
    'in-process': customResourcesInProcess,
    workerd: customResourcesOnWorkerd,
    'durable-object': customResourcesOnDurableObject,
  },
  features: onDaemons(featuresOn),
  takeover: onDaemons(takeoverOn),
}

/** Declares the tests of a run. Throws an Error for one that is not here. */
export async function declareRun(suite: string, runtime: string): Promise<void> {
  const declare = suites[suite]?.[runtime]
  if (declare === undefined) throw new Error(`test/conformance/suites.ts does not say how ${suite} runs on ${runtime}`)
  await declare()
}
