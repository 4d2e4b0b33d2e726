/** How fast a daemon creates small objects: by the clock, or by the processor time that its process takes, which neighbours disturb less. */
import { type BenchDaemon, processorSeconds } from './daemon.ts'
import { load } from './load.ts'

export interface Creates {
  /** Of configmaps or secrets. */
  readonly plural: string
  readonly seconds: number
  readonly per: 'second' | 'second of processor time'
  /** As LoadOptions have it. */
  readonly sleeps?: boolean
}

/** Measures once each time it is called; before the first time it runs once for nothing, for then the daemon's code is not compiled yet. */
export function createRate({ url, ca, cert, key, pid }: BenchDaemon, { plural, seconds, per, sleeps }: Creates): () => Promise<number> {
  const path = `/api/v1/namespaces/default/${plural}`
  const headers = { 'content-type': 'application/json' }
  async function measure(): Promise<number> {
    const body = JSON.stringify({ metadata: { name: `x${Date.now()}-{n}`, labels: { team: 'a' } }, data: { text: 'eA==' } })
    const before = processorSeconds(pid)
    const options = { url, ca, cert, key, seconds, headers, method: 'POST', path, body, connections: 16, ...(sleeps && { sleeps }) }
    const { requestsPerSecond, requests, failures } = await load(options)
    if (failures > 0) throw new Error(`${failures} requests failed: POST ${path}`)
    return per === 'second' ? requestsPerSecond : requests / (processorSeconds(pid) - before)
  }
  let warm: Promise<number> | undefined
  return async () => {
    warm ??= measure()
    await warm
    return measure()
  }
}
