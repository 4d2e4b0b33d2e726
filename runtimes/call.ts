/** Calls of a server in this process without the built-in Request, Response and streams, which cost more than the server's own work. */
import { type ByteSource, isByteSource } from '../core/answers/byte-source.ts'
import { LightHeaders } from '../core/answers/light-headers.ts'
import { Reply } from '../core/answers/reply.ts'
import type { MaybePromise } from '../core/common/maybe-promise.ts'
import { HeldBody } from '../core/request/held-body.ts'
import { LightRequest } from '../core/request/light-request.ts'
import { encodeUtf8 } from '../core/schema/formats/utf8.ts'

/** A request. */
export interface Call {
  readonly method: string
  /** Path and query. */
  readonly target: string
  /** Alternating names in lower case and values. */
  readonly headers?: readonly string[]
  readonly body?: string
  readonly signal?: AbortSignal | undefined
}

/** Sends a request as a user. Rejects when the server is closed, and never because of what the server answers. */
export type Send = (call: Call) => Promise<Response>

export const origin = 'http://apiserver.test'

const [slash, dot] = ['/', '.'].map((character) => character.charCodeAt(0))
/** By code: whether the URL standard leaves a character as it is. */
const isKept: readonly boolean[] = Array.from({ length: 128 }, (_, code) => /[\w\-.~/?=&%:,+*!()@;$]/.test(String.fromCharCode(code)))

/** Targets that the URL standard leaves as they are: no dot segments, and no characters that it encodes. A loop takes less than an expression. */
function isPlain(target: string): boolean {
  if (target.charCodeAt(0) !== slash) return false
  for (let at = 0, last = 0; at < target.length; at++) {
    const code = target.charCodeAt(at)
    if (!isKept[code] || (code === dot && last === slash)) return false
    last = code
  }
  return true
}

/** Path and query as the URL standard writes them. */
function targetOf(target: string): string {
  if (isPlain(target)) return target
  const { pathname, search } = new URL(origin + target)
  return pathname + search
}

/** The call as a built-in Request. */
export function requestOf({ method, target, headers = [], body, signal }: Call): Request {
  const pairs = headers.flatMap((name, at): [string, string][] => (at % 2 === 0 ? [[name, headers[at + 1] as string]] : []))
  return new Request(origin + target, { method, headers: pairs, ...(body !== undefined && { body }), ...(signal && { signal }) })
}

const encoder = new TextEncoder()
/** Bytes of a buffer that several bodies share, and maximum characters of one of them: to make a buffer takes longer than to fill it. */
const [sharedBytes, shortBody] = [32 * 1024, 2 * 1024]
let shared = new Uint8Array(0)

/** A text in UTF-8; lone surrogates become U+FFFD. */
function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  const most = 3 * text.length
  if (text.length > shortBody) return encodeUtf8(text)
  if (most > shared.length) shared = new Uint8Array(sharedBytes)
  const bytes = shared.subarray(0, encoder.encodeInto(text, shared).written)
  shared = shared.subarray(bytes.length)
  return bytes
}

/** The call as a request that costs little. */
function lightRequestOf({ method, target, headers = [], body }: Call): LightRequest {
  const fields = ['host', 'apiserver.test', ...headers]
  const bytes = body === undefined ? undefined : bytesOf(body)
  if (bytes) fields.push('content-length', String(bytes.length))
  return new LightRequest(method, targetOf(target), LightHeaders.of(fields), bytes ? new HeldBody(bytes) : null)
}

/** A response with a body that is in memory counts as taken at once: the caller does not say when it has read it. */
function takenIfWhole(response: Response): Response {
  if (Reply.isWhole(response)) taken(response)
  return response
}

/** Sends a call with `answer`. Its signal ends the wait for the response; the body ends with `ChunkReader.cancel`. */
export async function sendLight(call: Call, answer: (request: Request) => MaybePromise<Response>): Promise<Response> {
  const request = lightRequestOf(call)
  const { signal } = call
  if (signal === undefined) return takenIfWhole(await answer(request))
  const abort = () => LightRequest.abort(request, signal.reason as Error)
  if (signal.aborted) abort()
  signal.addEventListener('abort', abort, { once: true })
  try {
    return takenIfWhole(await answer(request))
  } finally {
    signal.removeEventListener('abort', abort)
  }
}

/** `Connection.whenSent` of connections whose caller takes a Reply: see `taken`. */
export function whenTaken(response: Response, callback: () => void): void {
  if (!Reply.whenEnded(response, callback)) callback()
}

/** The caller has taken a response as far as it wants. */
export const taken = (response: Response): void => Reply.ended(response)

/** Reads a body as it arrives. */
export interface ChunkReader {
  /** The next bytes; undefined at the end, also of a body that breaks off. */
  read(): Promise<Uint8Array | undefined>
  cancel(): void
}

export function chunksOf(response: Response): ChunkReader | undefined {
  const body = Reply.bodyOf(response)
  if (body === null) return undefined
  if (isByteSource(body)) return sourceReader(body, () => taken(response))
  const reader = (response.body as ReadableStream<Uint8Array>).getReader()
  return {
    read: async () => (await reader.read().catch(() => undefined))?.value,
    cancel: () => void reader.cancel().catch(() => undefined),
  }
}

function sourceReader(source: ByteSource, ended: () => void): ChunkReader {
  let wake = () => {}
  let isCancelled = false
  source.open(() => wake())
  return {
    async read() {
      for (;;) {
        if (isCancelled) return undefined
        const bytes = source.take()
        if (bytes !== undefined) return bytes
        if (source.ended) return undefined
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
    },
    cancel() {
      if (isCancelled) return
      isCancelled = true
      source.cancel()
      ended()
      wake()
    },
  }
}
