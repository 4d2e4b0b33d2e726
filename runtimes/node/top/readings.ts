/** The readings of a server, from the stream that its page `/debug/live` draws. */
import { type LiveReading, liveRoot } from '../../../core/meta/debug/live.ts'
import type { WebhookConnection } from '../../../core/outgoing/webhook/connection.ts'
import { messageOf } from '../../../core/schema/message-of.ts'
import { nodeOutbound } from '../start/ports.ts'

/** Maximum characters of one reading: lists are bounded, so are names. */
const maxReading = 1024 * 1024
/** Maximum characters of an answer that is no stream. */
const maxAnswer = 4096
/** Milliseconds until connected. */
const connectTimeout = 10_000

/** The message of a Status, or the text itself. */
function messageIn(text: string): string {
  try {
    const { message } = JSON.parse(text) as { message?: unknown }
    return typeof message === 'string' ? message : text
  } catch {
    return text
  }
}

async function answerOf(url: string, { options, authorization }: WebhookConnection): Promise<Response> {
  const header = await authorization?.()
  const request = new Request(`${url}${liveRoot}/stream`, {
    headers: { accept: 'text/event-stream, application/json', ...(header !== undefined && { authorization: header }) },
  })
  try {
    return await nodeOutbound.fetch(request, { ...options, connectTimeout })
  } catch (error) {
    throw new Error(`${url}: no answer: ${messageOf(error)}`)
  }
}

/** Yields readings until the server ends the stream. Rejects with a one-line Error when there is no stream, or it breaks. */
export async function* readings(connection: WebhookConnection): AsyncGenerator<LiveReading> {
  const url = connection.url.endsWith('/') ? connection.url.slice(0, -1) : connection.url
  const response = await answerOf(url, connection)
  const type = response.headers.get('content-type') ?? ''
  if (response.status === 404) throw new Error(`${url}: no readings: not this kind of server, or it runs with --profiling=false`)
  if (response.status !== 200)
    throw new Error(`${url}: status ${response.status}: ${messageIn((await response.text()).slice(0, maxAnswer)).trim()}`)
  if (response.body === null || !type.startsWith('text/event-stream')) throw new Error(`${url}: no readings: not this kind of server`)
  let rest = ''
  try {
    for await (const text of response.body.pipeThrough(new TextDecoderStream())) {
      const events = (rest + text).split('\n\n')
      rest = events.pop() ?? ''
      if (rest.length > maxReading) throw new Error('a reading is too long')
      for (const event of events) if (event.startsWith('data: ')) yield JSON.parse(event.slice(6)) as LiveReading
    }
  } catch (error) {
    throw new Error(`${url}: the stream of readings broke: ${messageOf(error)}`)
  }
}
