/**
 * A cluster's load on one server: `npm run bench:cluster -- [--scale=1] [--seconds=180] [--reference | --server=URL --token=TOKEN]`. At scale 1:
 * 5,000 node agents, 150,000 pods in 500 namespaces, 1,000 services, 100 pods per second that come and go. README.md of this folder describes it.
 */

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type Phase, startLoad } from './cluster/load.ts'
import { planOf } from './cluster/plan.ts'
import { Profile } from './cluster/profile.ts'
import { loopOf, Memories, reportOf, Usages } from './cluster/report.ts'
import { type MeasuredServer, type Observed, startServer } from './cluster/servers.ts'

const { values: given } = parseArgs({
  options: {
    scale: { type: 'string', default: '1' },
    seconds: { type: 'string', default: '180' },
    /** A server that runs already, and the token of a member of system:masters. */
    server: { type: 'string' },
    token: { type: 'string' },
    /** Starts kube-apiserver (from KUBERNETES_BIN or PATH) with etcd instead of this server. */
    reference: { type: 'boolean', default: false },
    /** Collects the server's garbage every minute, and reports its memory then. */
    memory: { type: 'boolean', default: false },
    /** A directory for processor profiles of the server: while it is filled, and while it is measured. */
    profile: { type: 'string' },
    /** A file with the filled cluster of this scale, to start this server with. When it does not exist, the run only makes it. */
    snapshot: { type: 'string' },
    /** A file: the load begins when it exists. What comes before needs no quiet machine. */
    begin: { type: 'string' },
    'watches-per-connection': { type: 'string', default: '1000' },
    /** More flags of the server that is started, and of Node. */
    flag: { type: 'string', multiple: true, default: [] },
    'node-flag': { type: 'string', multiple: true, default: [] },
  },
})
const [scale, seconds] = [Number(given.scale), Number(given.seconds)]

async function serverGiven(): Promise<MeasuredServer> {
  const { server: url, token, reference } = given
  const options = { flags: given.flag, nodeFlags: given['node-flag'], snapshot: given.snapshot }
  if (url === undefined) return startServer(reference ? 'reference' : 'this', options)
  if (token === undefined) throw new Error('--server needs --token')
  return { name: url, url, token, processes: [], async stop() {} }
}

const began = performance.now()
const log = (text: string) => console.error(`${((performance.now() - began) / 1000).toFixed(0).padStart(4)} s  ${text}`)
const isFilled = given.snapshot !== undefined && existsSync(given.snapshot)
const server = await serverGiven()
try {
  if (given.snapshot === undefined || isFilled) await measure()
  else await fill(given.snapshot)
} finally {
  await server.stop()
}

/** Fills the cluster and saves it. */
async function fill(snapshot: string): Promise<void> {
  if (server.save === undefined) throw new Error('--snapshot needs a server of this build')
  const { report } = startLoad({ server: { url: server.url, token: server.token }, scale, seconds: 0, fillOnly: true }, { phase: log, log })
  await report
  await server.save(snapshot)
}

async function measure(): Promise<void> {
  const { url, token, probe } = server
  const seen = new Map<string, Promise<Observed>>()
  const profileOf = (part: string) => given.profile && join(given.profile, `${part}.cpuprofile`)
  let part = 'filling'
  const begin = (next: string) => {
    part = next
    probe?.begin(profileOf(part))
  }
  const end = () => {
    if (probe) seen.set(part, probe.end())
  }
  let memories: Memories | undefined
  const at: { readonly [phase in Phase]: () => void } = {
    populated() {
      end()
      begin('opening watches')
    },
    watching: end,
    measuring() {
      begin('measured')
      if (given.memory && probe) memories = new Memories(() => probe.memory())
    },
    measured() {
      end()
      memories?.close()
    },
  }
  const watchesPerConnection = Number(given['watches-per-connection'])
  begin(part)
  const load = startLoad(
    { server: { url, token }, scale, seconds, filled: isFilled, begin: given.begin, watchesPerConnection },
    {
      phase(phase) {
        usages.mark(phase)
        at[phase]()
        log(phase)
      },
      log,
    },
  )
  const usages = new Usages([...server.processes, { name: 'load', pid: load.pid }])
  const report = await load.report.finally(() => usages.close())
  const { nodes, namespaces, pods, services, churn } = planOf(scale)
  const title = `${nodes} nodes, ${pods} pods in ${namespaces} namespaces, ${services} services, ${churn} pods per second, ${seconds} s`
  if (report) console.log(reportOf(server, title, report, usages))
  for (const [name, pending] of seen) {
    const observed = await pending
    console.log(`\n${loopOf(name, observed)}`)
    const file = profileOf(name)
    if (file === undefined) continue
    const profile = new Profile(file)
    console.log(`\n${profile.stalls(observed)}\n\n${profile.totals()}`)
  }
  if (memories) console.log(`\n${memories.table()}`)
}
