/** The readings of a server, from the stream that its page `/debug/live` draws. */
import { type LiveReading, liveRoot } from '../../../core/meta/debug/live.ts'
import type { WebhookConnection } from '../../../core/outgoing/webhook/connection.ts'
import { messageOf } from '../../../core/schema/message-of.ts'
import { ask, baseOf } from '../start/ask.ts'

/** Maximum characters of one reading: lists are bounded, so are names. */
const maxReading = 1024 * 1024
/** Maximum characters of an answer that is no stream. */
const maxAnswer = 4096

/** The message of a Status, or the text itself. */
function messageIn(text: string): string {
  try {
    const { message } = JSON.parse(text) as { message?: unknown }
    return typeof message === 'string' ? message : text
  } catch {
    return text
  }
}

/** Yields readings until the server ends the stream. Rejects with a one-line Error when there is no stream, or it breaks. */
export async function* readings(connection: WebhookConnection): AsyncGenerator<LiveReading> {
  const url = baseOf(connection)
  const response = await ask(connection, `${liveRoot}/stream`, 'text/event-stream, application/json').catch((error: unknown) => {
    throw new Error(`${url}: no answer: ${messageOf(error)}`)
  })
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
