/** Our server of etcd's API, in this process, on a free port. */
import { join } from 'node:path'
import type { Clock, Logger } from '../../core/ports.ts'
import { type EtcdServerOptions, openEtcdServer } from '../../runtimes/etcd-server/server.ts'
import { nodeClock } from '../../runtimes/node/clock.ts'
import { openDurableEngine } from '../../runtimes/stores/durable.ts'
import { Engine } from '../../runtimes/stores/engine.ts'
import { History } from '../../runtimes/stores/history.ts'
import { temporaryDirectory } from './temporary.ts'

export interface OwnEtcd {
  /** URL for clients. */
  readonly url: string
  readonly engine: Engine<History>
  stop(): Promise<void>
}

const silent: Logger = { debug() {}, info() {}, warn() {}, error: (fields, message) => console.error(message, fields) }

export interface OwnEtcdOptions extends Partial<Omit<EtcdServerOptions, 'engine'>> {
  readonly clock?: Clock
  /** On a disk instead of in memory. */
  readonly durable?: boolean
  /** Default: that of an empty store. */
  readonly engine?: Engine<History>
}

/** Starts it with the defaults of the program. */
export async function startOwnEtcd({
  clock = nodeClock,
  durable = false,
  engine: given,
  ...options
}: OwnEtcdOptions = {}): Promise<OwnEtcd> {
  const directory = durable ? temporaryDirectory('own-etcd') : undefined
  const engine =
    given ??
    (directory
      ? await openDurableEngine({ directory: join(directory.path, 'data'), clock, logger: silent, keys: 'latin1' })
      : new Engine({ clock, history: new History() }))
  const server = await openEtcdServer({
    engine,
    attachIn: directory && join(directory.path, 'data'),
    logger: silent,
    name: 'default',
    peerUrls: ['http://localhost:2380'],
    clientUrls: ['http://localhost:2379'],
    clusterToken: 'etcd-cluster',
    maxTxnOps: 128,
    maxRequestBytes: 1.5 * 1024 * 1024,
    quotaBytes: 2 * 1024 ** 3,
    progressInterval: 600_000,
    minLeaseSeconds: 2,
    maxConcurrentStreams: 1_000_000,
    ports: [{ host: '127.0.0.1', port: 0, serves: 'clients' }],
    ...options,
  })
  return {
    url: `http://127.0.0.1:${server.ports[0]}`,
    engine,
    async stop() {
      await server.close()
      directory?.remove()
    },
  }
}
