/**
 * A cluster's load on one server: `npm run bench:cluster -- [--scale=1] [--seconds=180] [--reference | --server=URL --token=TOKEN]`. At scale 1:
 * 5,000 node agents, 150,000 pods in 500 namespaces, 1,000 services, 100 pods per second that come and go. README.md of this folder describes it.
 */
import { parseArgs } from 'node:util'
import { startLoad } from './cluster/load.ts'
import { planOf } from './cluster/plan.ts'
import { Memories, reportOf, Usages } from './cluster/report.ts'
import { type MeasuredServer, startServer } from './cluster/servers.ts'

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
    'watches-per-connection': { type: 'string', default: '1000' },
    /** More flags of the server that is started, and of Node. */
    flag: { type: 'string', multiple: true, default: [] },
    'node-flag': { type: 'string', multiple: true, default: [] },
  },
})
const [scale, seconds] = [Number(given.scale), Number(given.seconds)]

async function serverGiven(): Promise<MeasuredServer> {
  const { server: url, token, reference } = given
  if (url === undefined) return startServer(reference ? 'reference' : 'this', given.flag, given['node-flag'])
  if (token === undefined) throw new Error('--server needs --token')
  return { name: url, url, token, processes: [], async stop() {} }
}

const began = performance.now()
const log = (text: string) => console.error(`${((performance.now() - began) / 1000).toFixed(0).padStart(4)} s  ${text}`)
const server = await serverGiven()
try {
  const { url, token } = server
  let memories: Memories | undefined
  const options = { server: { url, token }, scale, seconds, watchesPerConnection: Number(given['watches-per-connection']) }
  const load = startLoad(options, {
    phase(phase) {
      usages.mark(phase)
      if (phase === 'measuring' && given.memory && server.memory) memories = new Memories(server.memory)
      if (phase === 'measured') memories?.close()
      log(phase)
    },
    log,
  })
  const usages = new Usages([...server.processes, { name: 'load', pid: load.pid }])
  const report = await load.report.finally(() => usages.close())
  const { nodes, namespaces, pods, services, churn } = planOf(scale)
  const title = `${nodes} nodes, ${pods} pods in ${namespaces} namespaces, ${services} services, ${churn} pods per second, ${seconds} s`
  console.log(reportOf(server, title, report, usages))
  if (memories) console.log(`\n${memories.table()}`)
} finally {
  await server.stop()
}
