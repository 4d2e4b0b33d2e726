import { isByteSource, streamOf } from '../answers/byte-source.ts'
import { coded } from '../answers/gzip.ts'
import { Reply } from '../answers/reply.ts'
import { isUpgradeBody } from '../answers/upgrade-body.ts'
import { concatenate, utf8Length } from '../schema/bytes.ts'

type ByteStream = ReadableStream<Uint8Array<ArrayBuffer>>

/** A response has more bytes than are read. */
export class ResponseTooLong extends Error {
  override readonly name = 'ResponseTooLong'
}

const gzipMagic = [0x1f, 0x8b]

/**
 * The body of a response with gzip, decompressed. Some runtimes have done so already, and left the header; what does not start as gzip passes.
 * `body` is read up to `max` bytes.
 */
async function decompressed(response: Response, body: ByteStream, max: number): Promise<ByteStream> {
  if (response.headers.get('content-encoding')?.trim().toLowerCase() !== 'gzip') return body
  const chunks: Uint8Array<ArrayBuffer>[] = []
  const reader = body.getReader()
  for (let length = 0; length <= max; ) {
    const { done, value } = await reader.read()
    if (done) break
    chunks.push(value)
    length += value.byteLength
  }
  void reader.cancel().catch(() => undefined)
  const bytes = concatenate(chunks)
  const source = new ReadableStream<Uint8Array<ArrayBuffer>>({
    start(controller) {
      controller.enqueue(bytes)
      controller.close()
    },
  })
  return gzipMagic.every((byte, at) => bytes[at] === byte) ? coded(source, new DecompressionStream('gzip')) : source
}

/**
 * The text of a response's body, also of one in gzip. Rejects with ResponseTooLong when it has more than `max` bytes; the rest is not read.
 */
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
  const stream = (isByteSource(body) ? streamOf(body) : body) as ByteStream
  const reader = (await decompressed(response, stream, max)).getReader()
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
