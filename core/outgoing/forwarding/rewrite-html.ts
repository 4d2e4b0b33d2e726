/** Rewrites the links in a stream of HTML; all other bytes stay as they are. */
import { coded } from '../../answers/gzip.ts'
import type { Slices } from '../../common/slices.ts'
import { LinkRewriter } from './html-links.ts'
import type { RewriteLink } from './links.ts'

type Bytes = ReadableStream<Uint8Array<ArrayBuffer>>

/** Compression formats by content-encoding. As in Go, `deflate` has no zlib header. */
const formats: { readonly [encoding: string]: 'gzip' | 'deflate-raw' } = { gzip: 'gzip', deflate: 'deflate-raw' }

/** Bytes that are rewritten at once: some milliseconds, if they consist of tags. */
const piece = 16 * 1024

/** One character per byte: markup is readable in every encoding that extends ASCII, and all bytes are preserved. */
const charactersOf = (bytes: Uint8Array) => String.fromCharCode(...bytes)

function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(text.length)
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i)
  return bytes
}

function rewriting(rewrite: RewriteLink, slices: Slices): TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>> {
  const rewriter = new LinkRewriter(rewrite)
  return new TransformStream({
    async transform(chunk, controller) {
      slices.proceed()
      for (let at = 0; at < chunk.length; at += piece) {
        if (slices.over) await slices.next()
        const text = rewriter.push(charactersOf(chunk.subarray(at, at + piece)))
        if (text !== '') controller.enqueue(bytesOf(text))
      }
      slices.rest()
    },
    flush(controller) {
      const text = rewriter.end()
      if (text !== '') controller.enqueue(bytesOf(text))
    },
  })
}

/** Whether documents with this content-encoding are rewritten. */
export const rewrites = (encoding: string) => encoding === '' || Object.hasOwn(formats, encoding)

/** The document, decompressed and with its links rewritten. */
export function rewrittenHtml(body: Bytes, encoding: string, rewrite: RewriteLink, slices: Slices): Bytes {
  const format = formats[encoding]
  const plain = format === undefined ? body : coded(body, new DecompressionStream(format))
  return plain.pipeThrough(rewriting(rewrite, slices))
}
