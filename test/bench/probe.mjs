/**
 * Preloaded into a server under measurement (needs --expose-gc). Its parent asks over the process's channel: `memory` collects garbage and
 * answers with the memory; `begin` starts to observe the event loop and, with `profile`, the processor; `end` answers with what was seen.
 */
import { writeFileSync } from 'node:fs'
import { Session } from 'node:inspector'
import { PerformanceObserver } from 'node:perf_hooks'

/** Milliseconds between looks at the event loop, and the processor time between two looks from which on it counts as a stall. */
const [interval, shortest] = [10, 50]

/** Microseconds of the clock that profiles use. */
const now = () => Number(process.hrtime.bigint() / 1000n)

let observed

function begin(profile) {
  const delays = []
  const stalls = []
  let last = now()
  let used = process.cpuUsage()
  const timer = setInterval(() => {
    const at = now()
    const processor = process.cpuUsage(used)
    used = process.cpuUsage()
    delays.push(Math.max(0, (at - last) / 1000 - interval))
    // Other processes may have had the processor meanwhile.
    const busy = (processor.user + processor.system) / 1000
    if (busy >= shortest) stalls.push({ from: last, to: at, busy })
    last = at
  }, interval)
  timer.unref()
  const pauses = []
  const collections = new PerformanceObserver((list) => pauses.push(...list.getEntries().map(({ duration }) => duration)))
  collections.observe({ entryTypes: ['gc'] })
  let session
  if (profile) {
    session = new Session()
    session.connect()
    session.post('Profiler.enable')
    session.post('Profiler.setSamplingInterval', { interval: 1_000 })
    session.post('Profiler.start')
  }
  observed = { delays, stalls, timer, pauses, collections, session, profile, began: now() }
}

function end() {
  const { delays, stalls, timer, pauses, collections, session, profile, began } = observed
  clearInterval(timer)
  collections.disconnect()
  // From here on the answer and the profile themselves take long.
  session?.post('Profiler.stop', (_error, { profile: found }) => writeFileSync(profile, JSON.stringify(found)))
  delays.sort((a, b) => a - b)
  process.send?.({
    delay: { p50: quantile(delays, 0.5), p99: quantile(delays, 0.99), max: delays.at(-1) ?? 0 },
    collections: { longest: Math.max(0, ...pauses), share: pauses.reduce((sum, each) => sum + each, 0) / ((now() - began) / 1000) },
    stalls,
  })
}

const quantile = (sorted, q) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? 0

const answers = {
  memory() {
    globalThis.gc?.()
    const { heapUsed, external, arrayBuffers, rss } = process.memoryUsage()
    process.send?.({ heapUsed, external, arrayBuffers, rss })
  },
  begin: ({ profile }) => begin(profile),
  end,
}

process.on('message', (message) => (typeof message === 'string' ? answers[message]?.() : answers[message.ask]?.(message)))
process.channel?.unref()
