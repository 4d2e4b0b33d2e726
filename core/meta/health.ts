import { plainHeaders } from '../answers/plain-error.ts'
import { Reply } from '../answers/reply.ts'
import type { Clock } from '../ports.ts'
import { messageOf } from '../schema/message-of.ts'
import type { FixedRequest } from './fixed-request.ts'
import type { HealthMetrics } from './metrics/health.ts'

/** A health check. */
export interface HealthCheck {
  readonly name: string
  /** Another name for this check in `?exclude=`. */
  readonly group?: string
  /** Throws or rejects with the reason when unhealthy. */
  readonly check: () => void | Promise<void>
}

export type HealthEndpoint = 'healthz' | 'livez' | 'readyz'

export interface HealthOptions {
  readonly clock: Clock
  readonly checks: readonly HealthCheck[]
  /** Checks of `/healthz` and `/livez` only, before all others. */
  readonly liveChecks?: readonly HealthCheck[]
  /** Startup checks: `/livez` ignores them during the grace period. */
  readonly bootChecks?: readonly HealthCheck[]
  /** Milliseconds since the epoch at which the grace period ends (flag `--livez-grace-period`); absent: there is none. */
  readonly graceEnds?: number
  /** Checks of `/healthz` and `/readyz` only: a restart of this process would not fix them. */
  readonly serviceChecks?: readonly HealthCheck[]
  /** Checks of `/readyz` only. */
  readonly readyChecks?: readonly HealthCheck[]
  /** True once shutdown has begun; then `/readyz` fails. */
  readonly shuttingDown: () => boolean
  /** Called with the result of each check that an endpoint asked for and did not exclude. */
  readonly observe?: HealthMetrics['observe']
  /** Called with the reasons, which the response does not contain. */
  readonly failed?: (endpoint: HealthEndpoint, reasons: readonly string[]) => void
}

export interface Health {
  /** Answers `/healthz`, `/livez`, `/readyz` and the single checks below them; undefined for other paths. */
  respond(request: Pick<FixedRequest, 'path' | 'query'>): Promise<Response> | undefined
  /** Paths of all endpoints and checks, for the list at `/`. */
  readonly paths: readonly string[]
}

const always: readonly HealthCheck[] = ['ping', 'log'].map((name) => ({ name, check: () => {} }))

export function createHealth({
  clock,
  checks,
  liveChecks = [],
  bootChecks = [],
  serviceChecks = [],
  readyChecks = [],
  ...options
}: HealthOptions): Health {
  const { graceEnds = 0 } = options
  const delayed = ({ check, ...own }: HealthCheck): HealthCheck => ({
    ...own,
    check: () => (clock.monotonic() < graceEnds ? undefined : check()),
  })
  const shutdown: HealthCheck = {
    name: 'shutdown',
    check: () => {
      if (options.shuttingDown()) throw new Error('process is shutting down')
    },
  }
  const endpoints = new Map<string, { readonly endpoint: HealthEndpoint; readonly checks: readonly HealthCheck[] }>([
    ['/healthz', { endpoint: 'healthz', checks: [...always, ...liveChecks, ...checks, ...serviceChecks, ...bootChecks] }],
    ['/livez', { endpoint: 'livez', checks: [...always, ...liveChecks, ...checks, ...bootChecks.map(delayed)] }],
    ['/readyz', { endpoint: 'readyz', checks: [...always, ...checks, ...serviceChecks, ...readyChecks, ...bootChecks, shutdown] }],
  ])
  const single = new Map<string, HealthCheck>()
  for (const [path, { checks }] of endpoints) for (const check of checks) single.set(`${path}/${check.name}`, check)

  return {
    paths: [...endpoints.keys(), ...single.keys()].sort(),
    respond({ path, query }) {
      const found = endpoints.get(path)
      if (found) return respondAll(found.endpoint, found.checks, query, options)
      const check = single.get(path)
      return check && respondOne(check)
    },
  }
}

async function reasonOf(check: HealthCheck): Promise<string | undefined> {
  try {
    await check.check()
    return undefined
  } catch (error) {
    return messageOf(error)
  }
}

async function respondOne(check: HealthCheck): Promise<Response> {
  const reason = await reasonOf(check)
  // As the reference, without X-Content-Type-Options.
  if (reason === undefined) return new Reply('ok', { headers: { 'content-type': plainHeaders['content-type'] } })
  return text(500, `internal server error: ${reason}\n`)
}

/** The texts equal the reference server's, because scripts parse them. */
async function respondAll(
  endpoint: HealthEndpoint,
  checks: readonly HealthCheck[],
  query: URLSearchParams,
  { observe, failed }: Pick<HealthOptions, 'observe' | 'failed'>,
): Promise<Response> {
  const excluded = new Set(query.getAll('exclude'))
  const unknown = new Set(excluded)
  const reasons: string[] = []
  const lines = await Promise.all(
    checks.map(async (check) => {
      const { name, group } = check
      if (unknown.delete(name) || excluded.has(name)) return `[+]${name} excluded: ok\n`
      if (group !== undefined && excluded.has(group)) {
        unknown.delete(group)
        return `[+]${name} excluded with ${group}: ok\n`
      }
      const reason = await reasonOf(check)
      observe?.(name, endpoint, reason === undefined)
      if (reason === undefined) return `[+]${name} ok\n`
      reasons.push(`${name}: ${reason}`)
      return `[-]${name} failed: reason withheld\n`
    }),
  )
  let output = lines.join('')
  if (unknown.size > 0) {
    const names = [...unknown].sort().map((name) => JSON.stringify(name))
    output += `warn: some health checks cannot be excluded: no matches for ${names.join(',')}\n`
  }
  if (reasons.length > 0) {
    failed?.(endpoint, reasons)
    return text(500, `${output}${endpoint} check failed\n`)
  }
  return text(200, query.has('verbose') ? `${output}${endpoint} check passed\n` : 'ok')
}

const text = (status: number, body: string) => new Reply(body, { status, headers: plainHeaders })
