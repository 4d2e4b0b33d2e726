/** The load, in a process of its own: fills the cluster, opens the watches, then runs and measures. */
import { fork } from 'node:child_process'
import { existsSync } from 'node:fs'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { startAgents } from './agents.ts'
import { Churn } from './churn.ts'
import { Client, Connections, type Server } from './client.ts'
import { watchAsControlPlane } from './control-plane.ts'
import { Measures, type Summary } from './measures.ts'
import { planOf } from './plan.ts'
import { populate } from './populate.ts'
import { startReaders } from './readers.ts'

/** Seconds of load before the measurement. */
const warmup = 25

export interface LoadOptions {
  readonly server: Server
  readonly scale: number
  readonly seconds: number
  /** The cluster has its objects already. */
  readonly filled?: boolean
  /** Ends when it has them. */
  readonly fillOnly?: boolean
  /** The load begins when this file exists. */
  readonly begin?: string | undefined
  /** Watches on each connection. */
  readonly watchesPerConnection?: number
}

export interface LoadReport {
  readonly summaries: { readonly [operation: string]: Summary }
  readonly failures: readonly (readonly [what: string, count: number])[]
  readonly watches: number
  readonly connections: number
  /** Watches that the server has ended and that were opened again. */
  readonly reopened: number
  /** 99th percentile of the delay of the load's event loop, in milliseconds: durations include it. */
  readonly loopDelay: number
}

/** What the load is about to do: the caller measures the server in between. */
export type Phase = 'populated' | 'watching' | 'measuring' | 'measured'

type Message = { readonly phase: Phase } | { readonly log: string } | { readonly report: LoadReport | null } | { readonly error: string }

export interface Load {
  readonly pid: number
  /** Null: it has only filled the cluster. */
  readonly report: Promise<LoadReport | null>
}

/** Is told how far the load is. */
export interface Progress {
  phase(phase: Phase): void
  log(text: string): void
}

/** Starts the process. The report rejects when the cluster can't be made, or the process ends. */
export function startLoad(options: LoadOptions, progress: Progress): Load {
  const child = fork(fileURLToPath(import.meta.url), ['--cluster-load'], { execArgv: ['--import', 'tsx', '--max-old-space-size=4096'] })
  const report = new Promise<LoadReport | null>((resolve, reject) => {
    child.on('message', (message: Message) => {
      if ('phase' in message) progress.phase(message.phase)
      else if ('log' in message) progress.log(message.log)
      else if ('report' in message) resolve(message.report)
      else reject(new Error(message.error))
    })
    child.once('exit', (code) => reject(new Error(`the load exited with ${code}`)))
  })
  child.send(options)
  return { pid: child.pid ?? 0, report }
}

async function run(
  { server, scale, seconds, filled, fillOnly, begin, watchesPerConnection }: LoadOptions,
  tell: (message: Message) => void,
): Promise<LoadReport | null> {
  const plan = planOf(scale)
  const log = (text: string) => tell({ log: text })
  const connections = new Connections(server.url, watchesPerConnection)
  await connections.open()
  const admin = new Client(connections, server)
  if (!filled) await populate(admin, plan, log)
  tell({ phase: 'populated' })
  if (fillOnly) return null
  await pause(2_000)

  const measures = new Measures()
  const churn = new Churn(plan, admin, measures)
  const began = performance.now()
  const controlPlane = await watchAsControlPlane(admin, measures, churn.onScheduler)
  const agents = await startAgents({ connections, server, plan, measures, onPod: churn.onAgent })
  churn.agents = agents
  const watches = controlPlane + agents.watches
  log(`${watches} watches on ${connections.count} connections in ${((performance.now() - began) / 1000).toFixed(1)} s`)
  tell({ phase: 'watching' })
  while (begin !== undefined && !existsSync(begin)) await pause(100)
  await pause(2_000)

  const stops = [agents.start(), churn.start(), startReaders(admin, plan, measures, scale)]
  await pause(warmup * 1000)
  const delay = monitorEventLoopDelay({ resolution: 10 })
  delay.enable()
  measures.active = true
  tell({ phase: 'measuring' })
  await pause(seconds * 1000)
  tell({ phase: 'measured' })
  measures.active = false
  log(`${churn.size} pods under way at the end`)
  for (const stop of stops) stop()
  return {
    summaries: measures.summaries(),
    failures: measures.failures,
    watches,
    connections: connections.count,
    reopened: connections.reopened,
    loopDelay: delay.percentile(99) / 1e6,
  }
}

if (process.argv[2] === '--cluster-load') {
  process.once('message', (options: LoadOptions) => {
    const tell = (message: Message) => process.send?.(message)
    const last = (message: Message) => process.send?.(message, () => process.exit(0))
    run(options, tell).then(
      (report) => last({ report }),
      (error: Error) => last({ error: error.stack ?? error.message }),
    )
  })
}
