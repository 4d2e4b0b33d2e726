import { bodyResponse } from '../answers/body.ts'
import { Reply } from '../answers/reply.ts'
import type { Pauses, Slices } from '../common/slices.ts'
import { concatenate } from '../schema/bytes.ts'
import { printJson } from '../schema/json/text.ts'
import type { JsonObject } from '../schema/model.ts'

/** Bytes that are the same for all clients, with their ETag. */
export interface Document {
  readonly bytes: Uint8Array<ArrayBuffer>
  /** Upper-case hexadecimal SHA-512, without quotes. */
  readonly hash: string
}

const encoder = new TextEncoder()

async function sha512(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-512', bytes))
  let hex = ''
  for (const byte of digest) hex += byte.toString(16).padStart(2, '0')
  return hex.toUpperCase()
}

export type BuildDocument = () => Promise<Document>

/** A document that is built on first use. */
export function lazyBytes(build: () => Uint8Array<ArrayBuffer> | Promise<Uint8Array<ArrayBuffer>>): BuildDocument {
  let document: Promise<Document> | undefined
  const start = async () => {
    const bytes = await build()
    return { bytes, hash: await sha512(bytes) }
  }
  return () => {
    document ??= start()
    return document
  }
}

/** Minimum characters of JSON that are encoded at once. */
const encodedAtOnce = 64 * 1024
/** Levels that are printed member by member: below are the definitions in `{ components: { schemas: { … } } }`. */
const printedLevels = 3

/** Compact JSON, as `printJson` prints it. Rejects with an Error when it has more than so many bytes. */
async function printInSlices(value: unknown, slices: Slices, maxBytes = Number.POSITIVE_INFINITY): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array[] = []
  let size = 0
  let text = ''
  const flush = () => {
    const bytes = encoder.encode(text)
    text = ''
    size += bytes.length
    if (size > maxBytes) throw new Error(`the document has more than ${maxBytes} bytes`)
    parts.push(bytes)
  }
  async function print(each: unknown, levels: number): Promise<void> {
    if (levels === 0 || typeof each !== 'object' || each === null) {
      text += each === undefined ? 'null' : printJson(each)
      if (text.length >= encodedAtOnce) flush()
      if (slices.over) await slices.next()
      return
    }
    const isList = Array.isArray(each)
    text += isList ? '[' : '{'
    let isFirst = true
    for (const name in each) {
      const own = (each as JsonObject)[name]
      if (own === undefined && !isList) continue
      text += `${isFirst ? '' : ','}${isList ? '' : `${JSON.stringify(name)}:`}`
      isFirst = false
      await print(own, levels - 1)
    }
    text += isList ? ']' : '}'
  }
  await print(value, printedLevels)
  flush()
  return concatenate(parts, size)
}

/** As `lazyBytes`, from a value encoded as compact JSON. `maxBytes`: it is rejected when it has more. */
export function lazyDocument(build: () => unknown, pauses: Pauses, maxBytes?: number): BuildDocument {
  return lazyBytes(async () => printInSlices(await build(), pauses.sharedSlices(), maxBytes))
}

/** Another encoding of a document, with the same ETag. */
export function lazyEncoding(
  document: BuildDocument,
  convert: (json: Uint8Array<ArrayBuffer>) => Uint8Array<ArrayBuffer> | Promise<Uint8Array<ArrayBuffer>>,
): BuildDocument {
  let form: Promise<Document> | undefined
  const start = async () => {
    const { bytes, hash } = await document()
    return { bytes: await convert(bytes), hash }
  }
  return () => {
    form ??= start()
    return form
  }
}

/** Responds with the document, or 304 when the client has it (RFC 9110 13.1.2). */
export function respondWith(request: Request, document: Document, headers: { readonly [name: string]: string }): Response {
  const etag = `"${document.hash}"`
  const all = { ...headers, ETag: etag, Vary: 'Accept' }
  const known = request.headers.get('If-None-Match')
  if (known !== null && hasTag(known, etag)) return new Reply(null, { status: 304, headers: all })
  return bodyResponse(request, document.bytes, { status: 200, headers: all }, () => false)
}

/** Whether an If-None-Match header lists the tag. */
export function hasTag(header: string, etag: string): boolean {
  return header.split(',').some((text) => {
    const tag = text.trim()
    return tag === '*' || tag === etag || tag === `W/${etag}`
  })
}
