/**
 * Which suite runs on which runtime: true, or why it does not. Each `true` is a run of its own, which `test/run.mjs` knows as
 * `test/conformance/SUITE-RUNTIME.test.ts`; suites.ts says how it starts.
 */

const ofDaemons = 'its features are those of the daemon'
const noTimers = 'workerd cancels timers at the end of the request that set them: no watch times out, and no history is compacted'
const likeNode = 'what differs between releases of Node are sockets and streams, which the suites http, watch and features use'

export const runs = {
  http: { 'in-process': true, node: true, node24: true, bun: true, deno: true, workerd: true, 'durable-object': true },
  watch: { 'in-process': true, node: true, node24: true, bun: true, deno: true, workerd: noTimers, 'durable-object': true },
  'custom-resources': { 'in-process': true, node: true, node24: likeNode, bun: true, deno: true, workerd: true, 'durable-object': true },
  features: { 'in-process': ofDaemons, node: true, node24: true, bun: true, deno: true, workerd: ofDaemons, 'durable-object': ofDaemons },
  takeover: {
    'in-process': ofDaemons,
    node: 'no port can be shared before Node 22.12, and these tests run on Node 20; node24 runs it',
    node24: true,
    bun: true,
    deno: true,
    workerd: ofDaemons,
    'durable-object': ofDaemons,
  },
}

/** Paths by which runs are selected, each with its suite and runtime. */
export const runPaths = new Map(
  Object.entries(runs).flatMap(([suite, runtimes]) =>
    Object.entries(runtimes)
      .filter(([, runs]) => runs === true)
      .map(([runtime]) => [`test/conformance/${suite}-${runtime}.test.ts`, { suite, runtime }]),
  ),
)
