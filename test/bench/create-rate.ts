/** Creates of small objects per second of wall-clock time or of the daemon's processor time, which other processes disturb less. */
import { type BenchDaemon, processorSeconds } from './daemon.ts'
import { load } from './load.ts'

export interface Creates {
  /** Plural of configmaps or secrets. */
  readonly plural: string
  readonly seconds: number
  readonly per: 'second' | 'second of processor time'
  /** See LoadOptions. */
  readonly sleeps?: boolean
}

/** Measures once per call. Before the first it runs once without measuring, so that the daemon's code is compiled. */
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
