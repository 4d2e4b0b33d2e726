/** One question to a webhook over HTTP, asked again while the failure may pass. */
import type { Clock, Outbound } from '../ports.ts'
import { createCircuit } from './circuit.ts'
import type { WebhookConnection } from './webhook-connection.ts'

export interface CallOptions {
  readonly connection: WebhookConnection
  readonly outbound: Pick<Outbound, 'fetch'>
  readonly clock: Clock
  /** Milliseconds for one try, the answer's body included. */
  readonly timeout: number
}

/** Posts a JSON text; resolves to the text of a successful answer, rejects with an Error. */
export type Call = (body: string) => Promise<string>

const tries = 5
const firstWait = 500
const growth = 1.5
const jitter = 0.2
/** Answers are a few hundred bytes; one that goes on is not read to its end. */
const longestAnswer = 1024 * 1024
const passing = new Set([429, 500, 504])

/** A failure, with whether it may pass. */
class CallError extends Error {
  override readonly name = 'CallError'
  readonly again: boolean
  constructor(message: string, again: boolean) {
    super(message)
    this.again = again
  }
}

async function readText(response: Response): Promise<string> {
  if (response.body === null) return ''
  const reader = response.body.getReader()
  const decoder = new TextDecoder()
  let text = ''
  let length = 0
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return text + decoder.decode()
    length += value.byteLength
    if (length > longestAnswer) {
      void reader.cancel().catch(() => undefined)
      throw new CallError(`the answer has more than ${longestAnswer} bytes`, false)
    }
    text += decoder.decode(value, { stream: true })
  }
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error))

function isReset(error: unknown): boolean {
  const code = (each: unknown) => (typeof each === 'object' && each !== null && 'code' in each ? each.code : undefined)
  return code(error) === 'ECONNRESET' || (error instanceof Error && code(error.cause) === 'ECONNRESET')
}

export function createCall({ connection, outbound, clock, timeout }: CallOptions): Call {
  const circuit = createCircuit(clock)

  async function answerOf(body: string): Promise<Response> {
    const authorization = await connection.authorization?.()
    const request = new Request(connection.url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json',
        ...(authorization !== undefined && { authorization }),
      },
      body,
    })
    try {
      const response = await outbound.fetch(request, { ...connection.options, timeout })
      circuit.reached()
      return response
    } catch (error) {
      circuit.missed()
      throw new CallError(`Post ${JSON.stringify(connection.url)}: ${messageOf(error)}`, isReset(error))
    }
  }

  async function once(body: string): Promise<string> {
    const response = await answerOf(body)
    if (!response.ok) {
      void response.body?.cancel().catch(() => undefined)
      const again = passing.has(response.status) || response.headers.has('retry-after')
      throw new CallError(`Post ${JSON.stringify(connection.url)}: status ${response.status}`, again)
    }
    return readText(response)
  }

  const pause = (milliseconds: number) => new Promise<void>((resolve) => void clock.after(milliseconds, resolve))

  return async (body) => {
    for (let attempt = 1, wait = firstWait; ; attempt++, wait *= growth) {
      if (!circuit.permits()) throw new Error(`Post ${JSON.stringify(connection.url)}: not tried, since the last calls failed`)
      try {
        return await once(body)
      } catch (error) {
        if (!(error instanceof CallError && error.again) || attempt === tries) throw error
        await pause(wait * (1 + Math.random() * jitter))
      }
    }
  }
}
