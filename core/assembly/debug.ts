/** What is below `/debug/`: of the process, and of requests in flight. */

import { Reply } from '../answers/reply.ts'
import type { RequestGate } from '../filters/request-gate.ts'
import { createLive, liveRoot } from '../meta/debug/live.ts'
import { createProfiles, profilesRoot } from '../meta/debug/profiles.ts'
import { createDebugFlags } from '../meta/debug-flags.ts'
import type { FixedPath } from '../meta/fixed-request.ts'
import type { StoredMetrics } from '../objects/storage/metrics.ts'
import type { CompleteOptions } from '../options/index.ts'
import type { HostPorts } from '../ports.ts'

export interface DebugOptions {
  readonly options: CompleteOptions
  readonly ports: HostPorts
  readonly gate: RequestGate
  readonly stored: StoredMetrics
}

/** Served by the debugging socket in any case, and to authorized users when profiles are served. */
export function debugPaths({
  options: { general },
  ports: { clock, telemetry, threads },
  gate,
  stored,
}: DebugOptions): readonly FixedPath[] {
  const profiles = createProfiles({
    clock,
    profiler: telemetry.profiler,
    contention: general.contentionProfiling,
    program: `${general.platform.component}-apiserver`,
    inFlight: () => gate.inFlight(),
    threads,
  })
  const live = createLive({
    clock,
    metrics: general.metrics,
    title: `${general.platform.component}-apiserver ${general.identity}`,
    caches: stored.caches,
    inFlight: () => gate.inFlight(),
    threads,
  })
  return [
    { path: liveRoot, below: true, respond: live },
    { path: profilesRoot.slice(0, -1), below: true, respond: profiles },
    ...(telemetry.setVerbosity ? [{ path: '/debug/flags', below: true, respond: createDebugFlags(telemetry.setVerbosity) } as const] : []),
  ]
}

/** Answers a request that has passed no filters. */
export async function answerDebug(paths: readonly FixedPath[], request: Request): Promise<Response> {
  const { pathname: path, searchParams: query } = new URL(request.url)
  const found = paths.find((each) => path === each.path || (each.below && path.startsWith(`${each.path}/`)))
  return (await found?.respond({ request, path, query })) ?? new Reply('404 page not found\n', { status: 404 })
}
