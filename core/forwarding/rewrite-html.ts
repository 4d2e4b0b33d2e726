/** Rewrites the links in a stream of HTML; all other bytes stay as they are. */
import { coded } from '../respond/gzip.ts'
import { LinkRewriter } from './html-links.ts'
import type { RewriteLink } from './links.ts'

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

function rewriting(rewrite: RewriteLink): TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>> {
  const rewriter = new LinkRewriter(rewrite)
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

/** Whether documents with this content-encoding are rewritten. */
export const rewrites = (encoding: string) => encoding === '' || Object.hasOwn(formats, encoding)

/** The document, decompressed and with its links rewritten. */
export function rewrittenHtml(body: Bytes, encoding: string, rewrite: RewriteLink): Bytes {
  const format = formats[encoding]
  const plain = format === undefined ? body : coded(body, new DecompressionStream(format))
  return plain.pipeThrough(rewriting(rewrite))
}
