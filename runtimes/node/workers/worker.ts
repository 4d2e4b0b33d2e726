/** A thread that serves requests: a whole server over the store of the main thread. */
import { type MessagePort, parentPort } from 'node:worker_threads'
import { parseFlags } from '../../../core/flags/parse.ts'
import type { Connection, Telemetry } from '../../../core/ports.ts'
import { messageOf } from '../../../core/schema/message-of.ts'
import { type ApiServer, createServerFamily } from '../../../core/server.ts'
import { type MessageStore, messageStore } from '../../stores/message.ts'
import { logOfFlags } from '../log/options.ts'
import type { Listener } from '../network/listener.ts'
import { servingCertificates } from '../pki/certificates.ts'
import { authenticationOptions } from '../start/authentication-options.ts'
import { certificateOptions, listenOptions } from '../start/certificate-options.ts'
import { prepareHost } from '../start/host.ts'
import { keepCertificates } from '../start/keep-certificates.ts'
import { openListener } from '../start/open-listener.ts'
import { Opened } from '../start/opened.ts'
import { serverOptions } from '../start/options.ts'
import { nodeClock } from '../start/ports.ts'
import { balanced, ConnectionCounts } from './balance.ts'
import { callsOver } from './calls.ts'
import { ownDescriptor } from './descriptor.ts'
import { ThreadLimits } from './limits.ts'
import { linkOf } from './link.ts'
import { workerRows } from './metrics.ts'
import type { MainAnswers, Orders, WorkerAnswers } from './orders.ts'
import { Threads } from './threads.ts'

/** Answers requests until the main thread ends it. Resolves when the worker serves, or has told the main thread why it can't. */
export async function runWorker(orders: Orders): Promise<void> {
  const opened = new Opened()
  try {
    await serve(orders, opened)
  } catch (error) {
    await opened.close().catch(() => {})
    const { other: main } = callsOver<MainAnswers>(parentPort as MessagePort, {})
    await main.failed(messageOf(error)).catch(() => {})
  }
}

async function serve(orders: Orders, opened: Opened): Promise<void> {
  const flags = parseFlags(orders.argv, orders.program)
  const log = logOfFlags(flags)
  const { pki } = orders
  const files = certificateOptions(flags)
  const port = parentPort as MessagePort
  let answers: WorkerAnswers | undefined
  const { other: main } = callsOver<MainAnswers>(port, {
    leave: () => answers?.leave(),
    drain: (options: Parameters<WorkerAnswers['drain']>[0]) => answers?.drain(options),
    stopListening: (grace: number) => answers?.stopListening(grace),
    end: () => answers?.end(),
    series: () => answers?.series() ?? [],
    setVerbosity: (level: number) => log.setVerbosity?.(level),
    answer: (topic: string, about: unknown) => threads.answerTo(topic, about),
  })
  const threads = new Threads(`worker ${orders.number}`, (topic, about, milliseconds) => main.askOthers(topic, about, milliseconds))
  const telemetry: Omit<Telemetry, 'usage' | 'profiler' | 'tracer'> = {
    ...log,
    // All threads change theirs.
    setVerbosity: (level) => void main.setVerbosity(level),
    ...(orders.writesAudit && { audit: (lines: Uint8Array) => main.audit(lines) }),
  }
  let handshakeErrors = () => 0
  const host = await prepareHost(
    flags,
    {
      options: serverOptions(flags),
      authentication: authenticationOptions(flags),
      pki,
      log: telemetry,
      usage: { handshakeErrors: () => handshakeErrors() },
      limits: new ThreadLimits(orders.limits, orders.number, main),
      threads,
    },
    opened,
  )
  const store = messageStore({
    link: linkOf(orders.store.port),
    cells: orders.store.cells,
    clock: nodeClock,
    atTurnsEnd: setImmediate,
    // Ciphertexts go to Web Crypto, which refuses shared memory.
    copiesValues: flags.isSet('encryption-provider-config'),
  })
  opened.add(() => store.close())
  // The main thread has prepared the state, and does the work beside requests.
  const server = await createServerFamily(host.options).start({ ...host.ports, store }, true)
  opened.add(() => server.close())
  const certificates = servingCertificates(files, pki)
  const { descriptor, ...place } = orders.port
  const socket = descriptor === undefined ? undefined : await ownDescriptor(descriptor)
  let listener: Listener | undefined
  host.metrics.include(() => main.otherSeries())
  const balance = balanced(upToDate(server.answer, store), {
    counts: new ConnectionCounts(orders.connections),
    worker: orders.number,
    connections: () => listener?.connections ?? 0,
    clock: nodeClock,
  })
  opened.add(() => balance.stop())
  listener = await openListener(
    { ...listenOptions(flags), ...(socket ? {} : { ...place, sharePort: true }), ...certificates, logger: log.logger },
    balance.answer,
    socket,
  )
  const serving = listener
  handshakeErrors = () => serving.handshakeErrors
  host.metrics.collect(workerRows.connections, () => [[[String(orders.number)], serving.connections]])
  opened.add(() => serving.close(0))
  await keepCertificates(serving, { files, pki, certificates, authorities: host.authorities, logger: log.logger }, opened)
  answers = {
    leave: () => server.leave(),
    drain: (options) => server.drain(options),
    stopListening: (grace) => serving.close(grace),
    end: () => opened.close(),
    series: () => host.metrics.series(),
    setVerbosity: (level) => log.setVerbosity?.(level),
    answer: (topic, about) => threads.answerTo(topic, about),
  }
  await main.serving()
}

/**
 * A request meets everything that was answered before it was sent, by whichever worker: also what admission and authorization follow, which do not
 * ask for the current revision.
 */
function upToDate(answer: ApiServer['answer'], store: Pick<MessageStore, 'received'>): ApiServer['answer'] {
  return (request: Request, connection: Connection) => {
    const late = store.received()
    return late === undefined ? answer(request, connection) : late.then(() => answer(request, connection))
  }
}
