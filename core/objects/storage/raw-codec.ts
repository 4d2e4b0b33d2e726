/** Converts between stored values and served bytes of objects that keep their stored version: only the resourceVersion is added. */

import { isEncrypted, readsEncrypted } from '../../encryption/encrypted-value.ts'
import { StoreError } from '../../ports.ts'
import type { ApiObject } from '../../resources/definition.ts'
import { concatenate, sameBytes, utf8Length } from '../../schema/bytes.ts'
import { decodeCbor } from '../../schema/cbor/decode.ts'
import { encodeCbor, isCbor } from '../../schema/cbor/encode.ts'
import { parseJsonText, printJson } from '../../schema/json/text.ts'
import { messageOf } from '../../schema/message-of.ts'
import type { Json } from '../../schema/model.ts'
import { type Codec, type CodecOptions, Printed, printObject, textOf, unstored } from './codec.ts'
import { versionMember, versionPlace } from './version-place.ts'

const encoder = new TextEncoder()
const decoder = new TextDecoder()
const lineFeed = 0x0a
/** Maximum bytes of the kind and apiVersion members. */
const maxHeadBytes = 1_024
const headPattern = /^\{"(?:kind":"[\w./-]*","apiVersion|apiVersion":"[\w./-]*","kind)":"[\w./-]*","metadata":\{(?=["}])/

/** Length of `{"kind":…,"apiVersion":…,"metadata":{`; undefined when the object starts otherwise. Characters are bytes there. */
const headLength = (text: string): number | undefined => headPattern.exec(text)?.[0].length

/** As `headLength`, in bytes, for an object as `printed` prints it. */
const printedHeadLength = ({ kind, apiVersion }: ApiObject) => utf8Length(printJson({ kind, apiVersion })) - 1 + ',"metadata":{'.length

function printed({ kind, apiVersion, metadata, ...rest }: ApiObject): Printed {
  const { resourceVersion: _version, ...own } = metadata
  const object = { kind, apiVersion, metadata: own, ...rest }
  return new Printed(object, printObject(object))
}

function parsed(stored: Uint8Array): ApiObject {
  if (isEncrypted(stored)) throw new Error(readsEncrypted)
  const object = (isCbor(stored) ? decodeCbor(stored) : parseJsonText(decoder.decode(stored))) as Partial<ApiObject> | null
  const { kind, apiVersion, metadata } = object ?? {}
  if (typeof kind !== 'string' || typeof apiVersion !== 'string' || typeof metadata !== 'object' || metadata === null)
    throw new Error('not an object of this API')
  return object as ApiObject
}

/** Values are written as CBOR if that is the media type, otherwise as JSON; both can be read regardless. */
export function createRawCodec({ mediaType, nameOf = unstored }: Pick<CodecOptions, 'mediaType' | 'nameOf'> = {}): Codec {
  const decode = (...served: readonly Uint8Array[]) => parseJsonText(textOf(served)) as ApiObject

  const show = ({ object, bytes }: Printed, revision?: number | string): Uint8Array =>
    revision === undefined ? bytes : splice(bytes, printedHeadLength(object), revision)

  const splice = (stored: Uint8Array, head: number, revision: number | string): Uint8Array => {
    const at = versionPlace(stored, head)
    const member = encoder.encode(versionMember(stored, head, at, revision))
    return concatenate([stored.subarray(0, at), member, stored.subarray(at)])
  }

  return {
    nameOf,
    canonical: (object) => printed(structuredClone(object)).object,
    print: printed,
    decode,
    labels: (served) => decode(served).metadata.labels ?? {},
    store: mediaType === 'application/cbor' ? ({ object }) => encodeCbor(object as unknown as Json, 'deterministic') : ({ bytes }) => bytes,
    show,
    restamp: (served, _from, to) => show(printed(decode(served)), to),
    isShown: (served, value, revision) => sameBytes(served, show(value, revision)),
    isServed: () => false,
    pieces: (served) => [served],
    serve(stored, revision) {
      const at = headLength(decoder.decode(stored.subarray(0, maxHeadBytes)))
      // The reference server ends JSON with a line feed, which would split a watch event.
      if (at !== undefined) return splice(stored.at(-1) === lineFeed ? stored.subarray(0, -1) : stored, at, revision)
      try {
        return show(printed(parsed(stored)), revision)
      } catch (error) {
        throw new StoreError('corrupt', `stored object can't be read: ${messageOf(error)}`)
      }
    },
  }
}
