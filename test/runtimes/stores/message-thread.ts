/** A thread that has stores: each port that it is sent gets one, and is told of its cells. */
import { type MessagePort, parentPort } from 'node:worker_threads'
import { linkOf } from '../../../runtimes/node/workers/link.ts'
import { memoryStore } from '../../../runtimes/stores/memory.ts'
import { serveStore } from '../../../runtimes/stores/message/service.ts'

parentPort?.on('message', ({ port }: { readonly port: MessagePort }) => {
  const store = memoryStore()
  const service = serveStore(store, { atTurnsEnd: setImmediate })
  parentPort?.postMessage({ cells: service.connect(linkOf(port)).cells })
  port.once('close', () => {
    service.close()
    void store.close()
  })
})
