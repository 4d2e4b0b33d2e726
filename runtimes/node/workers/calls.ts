import type { MessagePort } from 'node:worker_threads'
import { messageOf } from '../../../core/schema/message-of.ts'

/** What one side of a port answers, by name. Parameters and results are structured clones. */
export type Answers = { readonly [name: string]: (...parameters: never[]) => unknown }

/** The calls that the other side answers, as functions. */
export type Remote<Other extends Answers> = {
  readonly [Name in keyof Other]: (...parameters: Parameters<Other[Name]>) => Promise<Awaited<ReturnType<Other[Name]>>>
}

type Message =
  | { readonly call: string; readonly id: number; readonly parameters: readonly unknown[] }
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly error: string }

export interface Calls<Other extends Answers> {
  readonly other: Remote<Other>
  /** The other side is gone: pending and later calls reject. */
  end(reason: string): void
}

/** Calls in both directions over a port. A call rejects with an Error when its function throws. */
export function callsOver<Other extends Answers>(port: Pick<MessagePort, 'postMessage' | 'on'>, answers: Answers): Calls<Other> {
  const pending = new Map<number, { resolve(result: unknown): void; reject(error: Error): void }>()
  let lastId = 0
  let ended: string | undefined

  async function answer({ call, id, parameters }: Extract<Message, { call: string }>): Promise<void> {
    try {
      const result = await answers[call]?.(...(parameters as never[]))
      port.postMessage({ id, result })
    } catch (error) {
      port.postMessage({ id, error: messageOf(error) })
    }
  }

  port.on('message', (message: Message) => {
    if ('call' in message) return void answer(message)
    const waiting = pending.get(message.id)
    pending.delete(message.id)
    if ('error' in message) waiting?.reject(new Error(message.error))
    else waiting?.resolve(message.result)
  })
  const call = (name: string, parameters: readonly unknown[]) =>
    new Promise((resolve, reject) => {
      if (ended !== undefined) return reject(new Error(ended))
      const id = ++lastId
      pending.set(id, { resolve, reject })
      port.postMessage({ call: name, id, parameters })
    })
  return {
    other: new Proxy({} as Remote<Other>, {
      get:
        (_target, name) =>
        (...parameters: readonly unknown[]) =>
          call(String(name), parameters),
    }),
    end(reason) {
      ended = reason
      for (const { reject } of pending.values()) reject(new Error(reason))
      pending.clear()
    },
  }
}
