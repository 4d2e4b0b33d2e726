/** Objects reduced to their metadata: `PartialObjectMetadata` of `meta.<domain>/v1` or v1beta1. */
import type { Json, JsonObject } from '../schema/model.ts'

export const partialObject = (apiVersion: string, metadata: Json): JsonObject => ({ kind: 'PartialObjectMetadata', apiVersion, metadata })

/** Text of the JSON form up to its metadata; `}` follows them. */
export const partialStart = (apiVersion: string): string => JSON.stringify(partialObject(apiVersion, 0)).slice(0, -'0}'.length)
