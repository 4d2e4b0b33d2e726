/** The thread that encodes items of long lists: it starts with the first one, and ends when none has come for a while. */
import type { MessagePort, Worker } from 'node:worker_threads'
import type { ItemEncoder, ItemTask, Packed } from '../../core/ports.ts'
import { messageOf } from '../../core/schema/message-of.ts'
import { encodeItems } from '../../core/verbs/item-encoding.ts'

/** Milliseconds. The thread takes about 50 MB. */
const idle = 120_000

interface Question {
  readonly task: ItemTask
  readonly items: Packed
}

type Answer = { readonly items: Packed } | { readonly error: string }

interface Pending {
  resolve(items: Packed): void
  reject(error: Error): void
}

const buffersOf = ({ bytes, ends }: Packed) => [bytes.buffer, ends.buffer]

/** `start` starts a thread that calls `answerItems`. */
export function createItemEncoder(start: () => Worker): ItemEncoder {
  let worker: Worker | undefined
  /** In the order of the questions, which is that of the answers. */
  let pending: Pending[] = []
  let timer: NodeJS.Timeout | undefined

  function begin(): Worker {
    const begun = start()
    // A list that nobody waits for does not keep the process alive.
    begun.unref()
    const failed = (error: Error) => {
      if (worker !== begun) return
      worker = undefined
      const all = pending
      pending = []
      for (const { reject } of all) reject(error)
    }
    begun.on('error', failed)
    begun.on('exit', (code) => failed(new Error(`the thread exited with ${code}`)))
    begun.on('message', (answer: Answer) => {
      const first = pending.shift()
      if ('error' in answer) first?.reject(new Error(answer.error))
      else first?.resolve(answer.items)
    })
    return begun
  }

  function end(): void {
    if (pending.length > 0) return
    const ended = worker
    worker = undefined
    void ended?.terminate()
  }

  return {
    encode(task, items) {
      worker ??= begin()
      timer ??= setTimeout(end, idle).unref()
      timer.refresh()
      const to = worker
      return new Promise((resolve, reject) => {
        pending.push({ resolve, reject })
        to.postMessage({ task, items } satisfies Question, buffersOf(items))
      })
    },
  }
}

/** What the thread runs. */
export function answerItems(port: MessagePort): void {
  port.on('message', ({ task, items }: Question) => {
    try {
      const made = encodeItems(task, items)
      port.postMessage({ items: made } satisfies Answer, buffersOf(made))
    } catch (error) {
      port.postMessage({ error: messageOf(error) } satisfies Answer)
    }
  })
}
