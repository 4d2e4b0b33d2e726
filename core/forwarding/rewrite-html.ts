/** Rewrites the links in a stream of HTML; all other bytes stay as they are. */
import { coded } from '../respond/gzip.ts'
import { LinkRewriter } from './html-links.ts'
import type { Links } from './links.ts'

type Bytes = ReadableStream<Uint8Array<ArrayBuffer>>

/** Compression formats by content-encoding. As in Go, `deflate` has no zlib header. */
const formats: { readonly [encoding: string]: 'gzip' | 'deflate-raw' } = { gzip: 'gzip', deflate: 'deflate-raw' }

const piece = 8192

/** One character per byte: markup is readable in every encoding that extends ASCII, and all bytes are preserved. */
function charactersOf(bytes: Uint8Array): string {
  let text = ''
  for (let at = 0; at < bytes.length; at += piece) text += String.fromCharCode(...bytes.subarray(at, at + piece))
  return text
}

function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(text.length)
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i)
  return bytes
}

function rewriting(links: Links): TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>> {
  const rewriter = new LinkRewriter((link) => links.rewrite(link))
  return new TransformStream({
    transform(chunk, controller) {
      const text = rewriter.push(charactersOf(chunk))
      if (text !== '') controller.enqueue(bytesOf(text))
    },
    flush(controller) {
      const text = rewriter.end()
      if (text !== '') controller.enqueue(bytesOf(text))
    },
  })
}

/** The document, decompressed and with its links rewritten; undefined for an unsupported content-encoding. */
export function rewrittenHtml(body: Bytes, encoding: string, links: Links): Bytes | undefined {
  if (encoding === '') return body.pipeThrough(rewriting(links))
  const format = formats[encoding]
  return format === undefined ? undefined : coded(body, new DecompressionStream(format)).pipeThrough(rewriting(links))
}
