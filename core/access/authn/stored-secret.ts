import type { ApiObject } from '../../resources/definition.ts'
import { decodeBase64 } from '../../schema/formats/base64.ts'

/** The part of a stored Secret (core v1) that authentication needs. */
export interface StoredSecret {
  readonly metadata: ApiObject['metadata']
  readonly type: string
  /** Value of a data key as text; empty when absent. */
  text(key: string): string
}

/** Reads the current Secret from the store. */
export type SecretLookup = (namespace: string, name: string) => Promise<StoredSecret | undefined>

export function storedSecret(object: ApiObject): StoredSecret {
  const data = new Map(Object.entries((object['data'] ?? {}) as { readonly [key: string]: string }))
  const type = object['type']
  return {
    metadata: object.metadata,
    type: typeof type === 'string' ? type : '',
    text: (key) => new TextDecoder().decode(decodeBase64(data.get(key) ?? '')),
  }
}
