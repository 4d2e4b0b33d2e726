/** Whether bytes are well-formed CBOR (RFC 8949 section 5.3.1). Nothing recurses: depth and counts are those of the input. */
import { DecodeError } from '../decode-error.ts'
import { HeadReader, indefinite, major, nameOf, unaccepted, unexpectedEnd } from './head.ts'

/** The reference's limits (apimachinery, runtime/serializer/cbor/internal/modes). */
const maxNested = 10_000
const maxElements = 2_147_483_647
const maxPairs = 2_097_152
/** Tags of big integers, which JSON values of this API can't hold. */
const [bigPositive, bigNegative] = [2, 3]

/** An array or map whose end is not reached. */
interface Open {
  readonly type: number
  readonly depth: number
  /** Items to come; negative: until a break. */
  left: number
  count: number
}

function deeper(depth: number): number {
  if (depth >= maxNested) throw new DecodeError(`cbor: exceeded max nested level ${maxNested}`)
  return depth + 1
}

function checkCount(type: number, count: number): void {
  if (type === major.array && count > maxElements)
    throw new DecodeError(`cbor: exceeded max number of elements ${maxElements} for CBOR array`)
  if (type === major.map && count > maxPairs) throw new DecodeError(`cbor: exceeded max number of key-value pairs ${maxPairs} for CBOR map`)
}

/** Passes the chunks of a string without a length. */
function passChunks(reader: HeadReader, type: number): void {
  for (;;) {
    if (reader.ended) throw unexpectedEnd()
    if (reader.atBreak) {
      reader.at++
      return
    }
    if (reader.next !== type) throw new DecodeError(`cbor: wrong element type ${nameOf(reader.next)} for indefinite-length ${nameOf(type)}`)
    if (((reader.bytes[reader.at] as number) & 31) === indefinite)
      throw new DecodeError(`cbor: indefinite-length ${nameOf(type)} chunk is not definite-length`)
    reader.read()
    passString(reader)
  }
}

function passString(reader: HeadReader): void {
  const { type, argument } = reader
  if (reader.info === indefinite) {
    passChunks(reader, type)
    return
  }
  if (reader.overflows) throw new DecodeError(`cbor: ${nameOf(type)} length ${reader.exact} is too large, causing integer overflow`)
  if (reader.bytes.length - reader.at < argument) throw unexpectedEnd()
  reader.at += argument
}

/** Passes tags; the next head is the content's. Returns the depth, which all but the first add to. */
function passTags(reader: HeadReader, given: number): number {
  let depth = given
  for (;;) {
    if (reader.ended) throw unexpectedEnd()
    if (reader.argument === bigPositive || reader.argument === bigNegative) throw unaccepted(major.tag, 'bignum')
    if (reader.next !== major.tag) return depth
    reader.read()
    depth = deeper(depth)
  }
}

function opened(reader: HeadReader, outer: number): Open {
  const depth = deeper(outer)
  const { type, argument } = reader
  if (reader.info === indefinite) return { type, depth, left: -1, count: 0 }
  if (reader.overflows) throw new DecodeError(`cbor: ${nameOf(type)} length ${reader.exact} is too large, it would cause integer overflow`)
  checkCount(type, argument)
  return { type, depth, left: type === major.map ? argument * 2 : argument, count: 0 }
}

/** Whether the innermost container has another item; passes its break. */
function hasMore(reader: HeadReader, open: Open): boolean {
  if (open.left >= 0) return open.left-- > 0
  if (open.type === major.map && open.count % 2 === 0) checkCount(open.type, open.count / 2)
  if (reader.ended) throw unexpectedEnd()
  if (!reader.atBreak) {
    open.count++
    return true
  }
  reader.at++
  if (open.type === major.map && open.count % 2 === 1) throw new DecodeError('cbor: unexpected "break" code')
  return false
}

/** Passes one item. Throws DecodeError when it is not well-formed, or has what JSON has no form of. */
export function passItem(reader: HeadReader): void {
  const stack: Open[] = []
  let depth = 0
  for (;;) {
    reader.read()
    const within = reader.type === major.tag ? passTags(reader, depth) : depth
    if (reader.type === major.tag) reader.read()
    if (reader.type === major.bytes || reader.type === major.text) passString(reader)
    else if (reader.type === major.array || reader.type === major.map) stack.push(opened(reader, within))
    for (;;) {
      const open = stack.at(-1)
      if (open === undefined) return
      if (hasMore(reader, open)) {
        depth = open.depth
        break
      }
      stack.pop()
    }
  }
}

/** Throws DecodeError unless the bytes are one well-formed item. */
export function checkWellFormed(bytes: Uint8Array): void {
  if (bytes.length === 0) throw new DecodeError('EOF')
  const reader = new HeadReader(bytes)
  passItem(reader)
  if (!reader.ended) throw new DecodeError(`cbor: ${bytes.length - reader.at} bytes of extraneous data starting at index ${reader.at}`)
}
