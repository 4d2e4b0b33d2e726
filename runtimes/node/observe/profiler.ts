/** Profiles by V8's own profilers, through node:inspector. It is loaded when a profile is asked for: runtimes may lack it, or parts of it. */
import type { Profiler as CpuProfiler, HeapProfiler, Session } from 'node:inspector'
import { type Profiler, ProfilerError } from '../../../core/ports.ts'
import { messageOf } from '../../../core/schema/message-of.ts'
import { cpuStacks, delayStacks, memoryStacks } from './v8-profile.ts'

/** Microseconds between samples of functions; bytes between samples of memory. */
const [cpuInterval, memoryInterval] = [1_000, 32 * 1024]
/** Microseconds that a turn of the event loop may take. */
const maxTurn = 10_000
/** Maximum of events in a trace. */
const maxEvents = 500_000
const traceCategories = ['node.environment', 'node.perf', 'node.fs.sync', 'node.net.native', 'node.dns.native', 'v8']

type Post = <T>(method: string, parameters?: object) => Promise<T>

const post =
  (session: Session): Post =>
  (method, parameters) =>
    new Promise((resolve, reject) => {
      session.post(method, parameters, (error, result) => (error ? reject(error) : resolve(result as never)))
    })

/** Resolves after this time in milliseconds; rejects with the signal's reason when it aborts. */
function passed(milliseconds: number, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted()
  return new Promise((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer)
      reject(signal.reason)
    }
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', abort)
      resolve()
    }, milliseconds)
    signal.addEventListener('abort', abort, { once: true })
  })
}

export function createProfiler(): Profiler {
  const busy = new Set<string>()

  /** Runs with a session of the inspector; one at a time of each kind, as V8 has one profiler of each. */
  async function exclusive<T>(kind: string, signal: AbortSignal, use: (session: Session, post: Post) => Promise<T>): Promise<T> {
    if (busy.has(kind)) throw new ProfilerError('busy', `${kind} profiling already in use`)
    busy.add(kind)
    let session: Session | undefined
    try {
      const inspector = await import('node:inspector')
      session = new inspector.Session()
      session.connect()
      return await use(session, post(session))
    } catch (error) {
      if (signal.aborted || error instanceof ProfilerError) throw error
      throw new ProfilerError('unavailable', `this runtime can't take it: ${messageOf(error)}`)
    } finally {
      session?.disconnect()
      busy.delete(kind)
    }
  }

  const sampled = (milliseconds: number, signal: AbortSignal): Promise<CpuProfiler.Profile> =>
    exclusive('cpu', signal, async (_session, send) => {
      await send('Profiler.enable')
      await send('Profiler.setSamplingInterval', { interval: cpuInterval })
      await send('Profiler.start')
      await passed(milliseconds, signal)
      const { profile } = await send<CpuProfiler.StopReturnType>('Profiler.stop')
      return profile
    })

  return {
    commandLine: [...process.argv],
    cpu: async (milliseconds, signal) => cpuStacks(await sampled(milliseconds, signal), cpuInterval),
    delays: async (milliseconds, signal) => delayStacks(await sampled(milliseconds, signal), maxTurn),
    memory: (milliseconds, signal, all) =>
      exclusive('heap', signal, async (_session, send) => {
        await send('HeapProfiler.startSampling', {
          samplingInterval: memoryInterval,
          includeObjectsCollectedByMajorGC: all,
          includeObjectsCollectedByMinorGC: all,
        })
        await passed(milliseconds, signal)
        const { profile } = await send<HeapProfiler.StopSamplingReturnType>('HeapProfiler.stopSampling')
        return memoryStacks(profile, all ? 'alloc_space' : 'inuse_space', memoryInterval)
      }),
    trace: (milliseconds, signal) =>
      exclusive('trace', signal, async (session, send) => {
        const events: object[] = []
        session.on('NodeTracing.dataCollected', ({ params }) => {
          for (const event of params.value as object[]) if (events.length < maxEvents) events.push(event)
        })
        const complete = new Promise<void>((resolve) => session.once('NodeTracing.tracingComplete', () => resolve()))
        await send('NodeTracing.start', { traceConfig: { includedCategories: traceCategories } })
        await passed(milliseconds, signal).finally(() => send('NodeTracing.stop'))
        await complete
        return new TextEncoder().encode(JSON.stringify({ traceEvents: events }))
      }),
  }
}
