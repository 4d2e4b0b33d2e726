/** The encodings of answers. A new one is a row here, and a reader of bodies in `verbs/body.ts`. */
import type { Platform } from '../../platform.ts'
import { cbor } from './cbor.ts'
import type { Encoding } from './encoding.ts'
import { json } from './json.ts'
import { protobuf } from './protobuf.ts'
import { yaml } from './yaml.ts'

/** In the order of preference: the first is what clients get that accept anything. */
const rows = { json, yaml, protobuf, cbor }

export type Format = keyof typeof rows

export const encodings: { readonly [format in Format]: Encoding } = rows
export const formats = Object.keys(rows) as readonly Format[]

/** The encodings that are served. `gated`: with those of the feature gate CBORServingAndStorage (KEP-4222). */
export const servedFormats = (gated: boolean): readonly Format[] => formats.filter((format) => gated || !encodings[format].isGated)

/** Media types of objects, one of each encoding. */
export const mediaTypesOf = (platform: Platform, gated: boolean): readonly string[] =>
  servedFormats(gated).map((format) => encodings[format].mediaTypes(platform)[0])

/** Media types of watches. */
export const streamTypesOf = (platform: Platform, gated: boolean): readonly string[] =>
  servedFormats(gated).flatMap((format) => {
    const { stream, mediaTypes } = encodings[format]
    return stream ? [stream.mediaType(mediaTypes(platform)[0])] : []
  })

/** Other names of these media types, which clients may use, too. */
export const otherTypesOf = (platform: Platform): readonly string[] =>
  formats.flatMap((format) => encodings[format].mediaTypes(platform).slice(1))
