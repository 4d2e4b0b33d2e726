/** A server of etcd's API on an embedded store: the only member of its cluster. */
import { StoreError } from '../../core/ports.ts'
import { messageOf } from '../../core/schema/message-of.ts'
import { type Attachment, openAttachment } from './attached.ts'
import type { Service } from './calls.ts'
import { type Listener, openListener, type TlsOptions } from './listener.ts'
import { Member, type MemberOptions } from './member.ts'
import { MessageWriter } from './message-writer.ts'
import { pageOf } from './pages.ts'
import { RequestBudget } from './request-budget.ts'
import { methodsOf } from './services.ts'

/** A port: of clients, or of metrics and probes alone. */
export interface PortOptions {
  readonly host: string
  readonly port: number
  readonly tls?: TlsOptions | undefined
  readonly serves: 'clients' | 'pages'
}

export interface EtcdServerOptions extends MemberOptions {
  readonly ports: readonly PortOptions[]
  /** Maximum calls at once on one connection. */
  readonly maxConcurrentStreams: number
  /** Directory for the socket of clients on this machine; absent: they use the ports, too. */
  readonly attachIn?: string | undefined
  /** Drops old history from time to time; absent: only clients do. */
  readonly compaction?: Compaction | undefined
}

/** `revision`: keeps so many revisions; `periodic`: those of so many milliseconds. */
export interface Compaction {
  readonly mode: 'revision' | 'periodic'
  readonly retention: number
}

export interface EtcdServer {
  /** Ports that are listened on, in the order of the options. */
  readonly ports: readonly number[]
  /** Replaces the certificates of all ports with TLS, for new connections. Throws, and changes nothing, when they are unusable. */
  reload(tls: TlsOptions): void
  /** Stops, and closes the store. */
  close(): Promise<void>
}

/** Bytes by which a message may exceed the largest request, as in etcd. */
const messageOverhead = 512 * 1024
/** Bytes of large requests at once. */
const maxLargeRequests = 32 * 1024 * 1024
/** Streams that etcd allows by default: more than a connection can have. */
const maxStreams = 1_000_000
/** Milliseconds for calls in flight to end. */
const closingGrace = 100
/** Milliseconds between compactions by revision, as in etcd. */
const revisionInterval = 5 * 60_000

/** Opens all ports, or none. */
export async function openEtcdServer(options: EtcdServerOptions): Promise<EtcdServer> {
  const { engine, logger, maxRequestBytes, ports } = options
  const member = new Member(options)
  const attachment = await attachmentIn(options, () => service)
  const methods = new Map([...methodsOf(member), ...(attachment?.methods ?? [])])
  const calls = new Map([...methods.keys()].map((path): [string, number[]] => [path, []]))
  const service: Service = {
    methods,
    logger,
    writer: new MessageWriter(),
    maxMessageBytes: maxRequestBytes + messageOverhead,
    budget: new RequestBudget(maxLargeRequests),
    ended(path, code) {
      const counts = calls.get(path)
      if (counts !== undefined) counts[code] = (counts[code] ?? 0) + 1
    },
  }
  const listeners: Listener[] = []
  const close = () => Promise.all([...listeners, ...(attachment ? [attachment] : [])].map((each) => each.close(closingGrace)))
  try {
    for (const { host, port, tls, serves } of ports) {
      const shared = { host, port, tls, page: (target: string) => pageOf(member, target, calls), clock: engine.clock }
      const maxConcurrentStreams = Math.min(options.maxConcurrentStreams, maxStreams)
      listeners.push(await openListener({ ...shared, maxConcurrentStreams, ...(serves === 'clients' && { service }) }))
    }
  } catch (error) {
    await close()
    throw error
  }
  const stopCompacting = options.compaction && compactRegularly(member, options.compaction)
  return {
    ports: listeners.map(({ port }) => port),
    reload: (tls) => listeners.forEach((listener) => void listener.reload(tls)),
    async close() {
      stopCompacting?.()
      await close()
      await engine.close()
    },
  }
}

/** Undefined: there is no directory, or no socket can be made in it, and clients use the ports. */
async function attachmentIn({ attachIn, engine, logger }: EtcdServerOptions, service: () => Service): Promise<Attachment | undefined> {
  if (attachIn === undefined) return undefined
  try {
    return await openAttachment(attachIn, service, engine.clock)
  } catch (error) {
    logger.warn({ error: messageOf(error), directory: attachIn }, 'no socket for clients on this machine')
    return undefined
  }
}

/** Returns what stops it. */
function compactRegularly(member: Member, { mode, retention }: Compaction): () => void {
  const { engine, logger } = member.options
  // As etcd: every tenth of the period, or of an hour if it is longer; what is dropped was current a period ago.
  const interval = mode === 'revision' ? revisionInterval : Math.max(Math.min(retention, 3_600_000) / 10, 1)
  const past: number[] = []
  const keep = mode === 'revision' ? 0 : Math.ceil(retention / interval)
  const run = () => {
    cancel = engine.clock.after(interval, run)
    if (engine.closed) return
    const { history } = member
    past.push(history.revision)
    const revision = mode === 'revision' ? history.revision - retention : past.length > keep ? (past.shift() ?? 0) : 0
    if (mode === 'revision') past.length = 0
    if (revision <= history.oldest) return
    engine.compact(revision).catch((error: unknown) => {
      if (error instanceof StoreError) logger.warn({ error: error.message, revision }, 'compaction failed')
    })
  }
  let cancel = engine.clock.after(interval, run)
  return () => cancel()
}
