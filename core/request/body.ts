import { ApiError, badRequest, entityTooLarge, timeout } from '../answers/status.ts'
import { concatenate } from '../schema/bytes.ts'
import type { Exchange } from './exchange.ts'
import { LightRequest } from './light-request.ts'

/** Maximum bytes of a request body. */
export const maxBodyBytes = 3 * 1024 * 1024

const empty = new Uint8Array(0)

/**
 * Reads a body of at most `limit` bytes; answers 413 without reading more of a larger one. As in the reference server, content codings
 * are not decoded. Rejects with the runtime's error when the client disconnects.
 */
export async function readBody(request: Request, limit: number = maxBodyBytes): Promise<Uint8Array> {
  const declared = request.headers.get('content-length')
  if (declared !== null && Number(declared) > limit) {
    void request.body?.cancel().catch(() => undefined)
    throw entityTooLarge(limit)
  }
  const light = LightRequest.body(request)
  if (light !== undefined) {
    const bytes = light === null ? empty : await light.within(limit)
    if (bytes === undefined) throw entityTooLarge(limit)
    return bytes
  }
  if (declared !== null) {
    // HTTP parsers never deliver more than the declared length, so the runtime's own (faster) reader is bounded.
    const bytes = await wholeOf(request)
    if (bytes.byteLength > limit) throw entityTooLarge(limit)
    return bytes
  }
  return request.body === null ? empty : readStream(request.body, limit)
}

type Receiving = Pick<Exchange, 'request' | 'seat' | 'expired'>

/**
 * Reads the body of an exchange. Its seat is free for other requests until the client has sent the body, so that stalled clients block no one.
 * Throws BadRequest when the client disconnects, TooManyRequests when no seat is free afterwards, and Timeout after the deadline.
 * Returns a plain value when the body has arrived already, as most have.
 */
export function receiveBody(exchange: Receiving): Uint8Array | Promise<Uint8Array> {
  const whole = exchange.expired ? undefined : LightRequest.body(exchange.request)?.whole()
  if (whole === undefined) return awaitBody(exchange)
  if (whole.length > maxBodyBytes) throw entityTooLarge(maxBodyBytes)
  return whole
}

async function awaitBody(exchange: Receiving): Promise<Uint8Array> {
  exchange.seat?.leave()
  let bytes: Uint8Array
  try {
    bytes = await readBody(exchange.request)
  } catch (error) {
    if (error instanceof ApiError) throw error
    throw badRequest('the client disconnected before sending the whole body')
  }
  if (exchange.expired) throw timeout('the request body was not received in time')
  const taken = exchange.seat?.take()
  if (taken instanceof Promise) {
    await taken
    if (exchange.expired) throw timeout('no place was free in time')
  }
  return bytes
}

/** Without a copy where the runtime supports `bytes()`. */
const wholeOf = (request: Request): Promise<Uint8Array> =>
  typeof request.bytes === 'function' ? request.bytes() : request.arrayBuffer().then((buffer) => new Uint8Array(buffer))

async function readStream(body: ReadableStream<Uint8Array>, limit: number): Promise<Uint8Array> {
  const reader = body.getReader()
  let first: Uint8Array | undefined
  let rest: Uint8Array[] | undefined
  let length = 0
  for (;;) {
    const { done, value } = await reader.read()
    if (done) break
    length += value.byteLength
    if (length > limit) {
      void reader.cancel().catch(() => undefined)
      throw entityTooLarge(limit)
    }
    if (first === undefined) first = value
    else if (rest === undefined) rest = [first, value]
    else rest.push(value)
  }
  return rest === undefined ? (first ?? empty) : concatenate(rest, length)
}
