/** One recorded request and its answer, in a form in which two servers give the same. */
import { decodeCbor } from '../../../core/schema/cbor/decode.ts'
import { DecodeError } from '../../../core/schema/decode-error.ts'
import { printJson } from '../../../core/schema/json/text.ts'
import type { Json, JsonObject } from '../../../core/schema/model.ts'

export interface Recorded {
  readonly method: string
  readonly path: string
  readonly type?: string
  readonly accept?: string
  /** Hexadecimal. */
  readonly body?: string
  readonly answer?: { readonly status: number; readonly type: string; readonly warning: string; readonly items: readonly string[] }
}

export type Send = (path: string, init: RequestInit) => Promise<Response>

const byName = (value: Json): Json => {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(byName)
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((name) => [name, byName((value as JsonObject)[name] as Json)]),
  )
}

/** Without what differs each time. */
const settled = (text: string) =>
  text
    .replace(/"resourceVersion":"\d+"/g, '"resourceVersion":"R"')
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, 'U')
    .replace(/"(creationTimestamp|time)":"[^"]*"/g, '"$1":"T"')

/** The items of a CBOR sequence, each of which begins with the tag of CBOR. */
function itemsOf(bytes: Uint8Array): Json[] {
  const items: Json[] = []
  for (let [from, to] = [0, 1]; to <= bytes.length; to++) {
    if (to < bytes.length && (bytes[to] !== 0xd9 || bytes[to + 1] !== 0xd9)) continue
    try {
      items.push(decodeCbor(bytes.subarray(from, to)))
      from = to
    } catch (error) {
      if (!(error instanceof DecodeError)) throw error
    }
  }
  return items
}

function shown(type: string, bytes: Uint8Array): string[] {
  if (type.startsWith('application/cbor')) return itemsOf(bytes).map((item) => settled(printJson(byName(item))))
  const text = new TextDecoder().decode(bytes)
  return type.startsWith('application/json') ? [settled(printJson(byName(JSON.parse(text) as Json)))] : [text]
}

export async function answerOf(send: Send, { method, path, type, accept, body }: Recorded): Promise<NonNullable<Recorded['answer']>> {
  const headers = { 'user-agent': 'recorder', ...(type && { 'content-type': type }), ...(accept && { accept }) }
  const sent = body === undefined ? {} : { body: new Uint8Array(Buffer.from(body, 'hex')) }
  const response = await send(path, { method, headers, ...sent })
  const answered = response.headers.get('content-type') ?? ''
  const bytes = new Uint8Array(await response.arrayBuffer())
  return { status: response.status, type: answered, warning: response.headers.get('warning') ?? '', items: shown(answered, bytes) }
}
