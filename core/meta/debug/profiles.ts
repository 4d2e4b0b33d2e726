/** `/debug/pprof/`: profiles as `go tool pprof` reads them. */

import { gzipped } from '../../answers/gzip.ts'
import { Reply } from '../../answers/reply.ts'
import { type Clock, type OtherThreads, type Profiler, ProfilerError, type StackProfile } from '../../ports.ts'
import type { Exchange } from '../../request/exchange.ts'
import { messageOf } from '../../schema/message-of.ts'
import type { FixedRequest } from '../fixed-request.ts'
import { inFlightProfile, inFlightTexts, numbered } from './in-flight.ts'
import { encodeProfile, profileText } from './pprof.ts'

export interface ProfilesOptions {
  readonly clock: Clock
  /** Absent: this runtime takes no profiles of functions and memory. */
  readonly profiler: Profiler | undefined
  /** Whether the profile `block` is taken; otherwise it is empty. */
  readonly contention: boolean
  /** Name of what is profiled. */
  readonly program: string
  inFlight(): Iterable<Exchange>
  /** Absent: there are none. */
  readonly threads?: OtherThreads | undefined
}

export const profilesRoot = '/debug/pprof/'

type Taken = StackProfile | Uint8Array<ArrayBuffer> | string

interface Taking {
  readonly milliseconds: number
  readonly signal: AbortSignal
  /** Detail of a profile as text; 0: the profile itself. */
  readonly debug: number
}

interface ProfileRow {
  readonly about: string
  /** Seconds, unless the query says otherwise; absent: it takes no time. */
  readonly seconds?: number
  /** The profile, or text, or bytes of another format. */
  readonly take: (taking: Taking) => Taken | Promise<Taken>
}

/** Maximum of `seconds`. */
const maxSeconds = 300

const empty: StackProfile = {
  types: [
    { type: 'contentions', unit: 'count' },
    { type: 'delay', unit: 'nanoseconds' },
  ],
  stacks: [],
}

const impossible = (reason: string): ProfileRow => ({
  about: `Not available: ${reason}.`,
  take: () => {
    throw new ProfilerError('unavailable', reason)
  },
})

const kinds = ['cpu', 'delays', 'live', 'allocated'] as const
/** Profiles that each thread takes of itself. */
type Kind = (typeof kinds)[number]

/** The stacks of all threads; each ends with the name of its thread. */
function merged(profiles: readonly (readonly [thread: string, profile: StackProfile])[]): StackProfile {
  const [[, first]] = profiles as [readonly [string, StackProfile]]
  if (profiles.length === 1) return first
  const stacks = profiles.flatMap(([name, profile]) =>
    profile.stacks.map(({ frames, values }) => ({ frames: [...frames, { name, file: '', line: 0 }], values })),
  )
  return { ...first, stacks }
}

function rowsOf({ profiler, contention, inFlight, clock, threads }: ProfilesOptions): { readonly [name: string]: ProfileRow } {
  const takeOwn = (kind: Kind, milliseconds: number, signal: AbortSignal): Promise<StackProfile> => {
    const { cpu, delays, memory } = able()
    if (kind === 'cpu') return cpu(milliseconds, signal)
    return kind === 'delays' ? delays(milliseconds, signal) : memory(milliseconds, signal, kind === 'allocated')
  }
  type Named = readonly [thread: string, profile: StackProfile]
  for (const kind of kinds)
    threads?.answer(`profile ${kind}`, async (milliseconds) => [
      threads.name,
      await takeOwn(kind, Number(milliseconds), new AbortController().signal),
    ])
  threads?.answer('requests in flight', () => [threads.name, inFlightProfile(inFlight())])
  threads?.answer('texts of requests in flight', () => inFlightTexts(inFlight(), clock))
  /** Other threads take theirs meanwhile. */
  const withOthers = async (own: StackProfile | Promise<StackProfile>, topic: string, milliseconds?: number): Promise<StackProfile> => {
    if (threads === undefined) return own
    const others = threads.ask(topic, milliseconds, milliseconds) as Promise<readonly Named[]>
    return merged([[threads.name, await own], ...(await others)])
  }
  const taken = async (kind: Kind, milliseconds: number, signal: AbortSignal): Promise<StackProfile> =>
    withOthers(takeOwn(kind, milliseconds, signal), `profile ${kind}`, milliseconds)
  const able = (): Profiler => {
    if (profiler === undefined) throw new ProfilerError('unavailable', 'this runtime has no profiler')
    return profiler
  }
  return {
    allocs: {
      about: 'Memory allocated while the profile is taken, with what has been collected since. The query seconds sets the time.',
      seconds: 10,
      take: ({ milliseconds, signal }) => taken('allocated', milliseconds, signal),
    },
    block: {
      about: 'Functions that held the event loop for longer than 10 ms. Empty unless the server runs with --contention-profiling.',
      seconds: 10,
      take: ({ milliseconds, signal }) => (contention ? taken('delays', milliseconds, signal) : empty),
    },
    cmdline: { about: 'Command line of the process.', take: () => able().commandLine.join('\0') },
    goroutine: {
      about: 'Requests in flight. debug=2 lists them one by one.',
      take: async ({ debug }) => {
        if (debug < 2) return withOthers(inFlightProfile(inFlight()), 'requests in flight')
        const others = ((await threads?.ask('texts of requests in flight')) ?? []) as readonly (readonly string[])[]
        return numbered([...inFlightTexts(inFlight(), clock), ...others.flat()])
      },
    },
    heap: {
      about: 'Memory allocated while the profile is taken, and still in use. The query seconds sets the time.',
      seconds: 10,
      take: ({ milliseconds, signal }) => taken('live', milliseconds, signal),
    },
    mutex: impossible('the event loop is one thread, which holds no mutexes'),
    profile: {
      about: 'Time spent in functions. The query seconds sets the time.',
      seconds: 30,
      take: ({ milliseconds, signal }) => taken('cpu', milliseconds, signal),
    },
    symbol: impossible('profiles have the names of functions'),
    threadcreate: impossible('the runtime does not tell what creates threads'),
    trace: {
      about: 'Events of the runtime in the trace event format of Chrome, for Perfetto or chrome://tracing.',
      seconds: 1,
      take: ({ milliseconds, signal }) => able().trace(milliseconds, signal),
    },
  }
}

const plain = { 'Content-Type': 'text/plain; charset=utf-8', 'X-Content-Type-Options': 'nosniff' }
/** The header makes `go tool pprof` print the text. */
const failure = (status: number, message: string) => new Reply(`${message}\n`, { status, headers: { ...plain, 'X-Go-Pprof': '1' } })

function failed(name: string, error: unknown): Response {
  if (!(error instanceof ProfilerError)) throw error
  return failure(error.code === 'busy' ? 500 : 501, `Could not take profile ${name}: ${messageOf(error)}`)
}

/** A positive number of seconds from the query, bounded; otherwise the default. */
function millisecondsOf(query: URLSearchParams, usual: number): number {
  const seconds = Number(query.get('seconds'))
  return (seconds > 0 ? Math.min(seconds, maxSeconds) : usual) * 1000
}

/** As the reference's, for clients that do not follow it. */
const moved = () =>
  new Reply(`<a href="${profilesRoot}">Found</a>.\n\n`, {
    status: 302,
    headers: { 'Content-Type': 'text/html; charset=utf-8', Location: profilesRoot },
  })

/** Answers `/debug/pprof` and what is below. */
export function createProfiles(options: ProfilesOptions): (request: FixedRequest) => Response | Promise<Response> {
  const rows = rowsOf(options)
  const { clock, program, inFlight } = options

  function respond(name: string, taken: Taken, debug: number): Response {
    if (typeof taken === 'string') return new Reply(taken, { headers: plain })
    const attached = (file: string, type: string) => ({
      'Content-Type': type,
      'X-Content-Type-Options': 'nosniff',
      'Content-Disposition': `attachment; filename="${file}"`,
    })
    if (taken instanceof Uint8Array) return new Reply(taken, { headers: attached(`${name}.json`, 'application/json') })
    if (debug > 0) return new Reply(profileText(name, taken), { headers: plain })
    const body = gzipped(new Blob([encodeProfile(taken, clock.now(), program)]).stream())
    return new Reply(body, { headers: attached(name, 'application/octet-stream') })
  }

  return async ({ request, path, query, exchange }) => {
    if (path === profilesRoot.slice(0, -1)) return moved()
    const name = path.slice(profilesRoot.length)
    if (name === '') return indexPage(rows, Array.from(inFlight()).length)
    const row = Object.hasOwn(rows, name) ? rows[name] : undefined
    if (row === undefined) return failure(404, 'Unknown profile')
    const debug = Number(query.get('debug')) || 0
    const milliseconds = millisecondsOf(query, row.seconds ?? 0)
    try {
      return respond(name, await row.take({ milliseconds, signal: (exchange ?? request).signal, debug }), debug)
    } catch (error) {
      return failed(name, error)
    }
  }
}

function indexPage(rows: { readonly [name: string]: ProfileRow }, inFlight: number): Response {
  const lines = Object.entries(rows).map(
    ([name, { about }]) =>
      `<tr><td>${name === 'goroutine' ? inFlight : ''}</td><td><a href='${name}?debug=1'>${name}</a></td><td>${about}</td></tr>`,
  )
  const page = `<!doctype html>
<html>
<head><title>${profilesRoot}</title></head>
<body>
${profilesRoot}
<p>Profiles of this process. Open them with <code>go tool pprof</code> or speedscope; debug=1 in the query shows text.</p>
<table>
<thead><tr><td>Count</td><td>Profile</td><td></td></tr></thead>
${lines.join('\n')}
</table>
<a href="goroutine?debug=2">all requests in flight</a>
</body>
</html>
`
  return new Reply(page, { headers: { 'Content-Type': 'text/html; charset=utf-8', 'X-Content-Type-Options': 'nosniff' } })
}
