import { isByteSource, streamOf } from '../respond/byte-source.ts'
import { Reply } from '../respond/reply.ts'
import { isUpgradeBody } from '../respond/upgrade-body.ts'
import { utf8Length } from '../schema/bytes.ts'

/** A response has more bytes than are read. */
export class ResponseTooLong extends Error {
  override readonly name = 'ResponseTooLong'
}

/** The text of a response's body. Rejects with ResponseTooLong when it has more than `max` bytes; the rest is not read. */
export async function readText(response: Response, max: number): Promise<string> {
  const tooLong = () => new ResponseTooLong(`the response has more than ${max} bytes`)
  const body = Reply.bodyOf(response)
  if (body === null || isUpgradeBody(body)) return ''
  if (typeof body === 'string') {
    if (utf8Length(body) > max) throw tooLong()
    return body
  }
  const decoder = new TextDecoder()
  if (body instanceof Uint8Array) {
    if (body.length > max) throw tooLong()
    return decoder.decode(body)
  }
  const reader = (isByteSource(body) ? streamOf(body) : body).getReader()
  let text = ''
  let length = 0
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return text + decoder.decode()
    length += value.byteLength
    if (length > max) {
      void reader.cancel().catch(() => undefined)
      throw tooLong()
    }
    text += decoder.decode(value, { stream: true })
  }
}
