/** Unreadable stored values, and the errors for them that clients know. */

import { ApiError, type GroupResource, qualified, type StatusCause } from '../../answers/status.ts'
import { type KeyValue, StoreError } from '../../ports.ts'
import { StoredObject } from './stored-object.ts'

/** Maximum unreadable values that the error of a list names. */
const maxNamed = 100

/** Decodes the values of one list. */
export interface Reading {
  /** Undefined: the value is unreadable and `finish` will report it. @throws StoreError `corrupt` */
  read(kv: KeyValue): StoredObject | undefined
  /** @throws ApiError when there were unreadable values. */
  finish(): void
}

export interface EntryReader {
  /** @throws StoreError `corrupt` */
  one(kv: KeyValue): StoredObject
  isReadable(kv: KeyValue): boolean
  /** `skip` is called with each unreadable value and the reason; absent: they are errors. */
  list(skip?: Skip): Reading
}

export type Skip = (key: string, why: string) => void

/** Whether an error is about unreadable stored values. */
export const isUnreadable = (error: unknown): error is StoreError | ApiError =>
  error instanceof StoreError ? error.code === 'corrupt' : error instanceof ApiError && error.status.reason === 'StoreReadError'

/** The reason, and whether decoding failed (true) or decryption (false). */
interface Problem {
  readonly why: string
  readonly decoded: boolean
}

const messageOf = (error: unknown) => {
  if (isUnreadable(error)) return error.message
  throw error
}

function readable({ key, modRevision }: KeyValue, { why, decoded }: Problem): string {
  const what = decoded ? `object not decodable revision=${modRevision}` : 'data from the storage is not transformable revision=0'
  return `StorageError: corrupt object, Code: 7, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: ${what}: ${why}`
}

const listed = ({ key }: KeyValue, { why, decoded }: Problem) => (decoded ? why : `unable to transform key ${JSON.stringify(key)}: ${why}`)

function storeReadError(groupResource: GroupResource, found: readonly StatusCause[]): ApiError {
  const { group, resource } = groupResource
  const more = found.length > 1 ? ` (and ${found.length - 1} more)` : ''
  const tooMany = { reason: 'FieldValueTooMany', message: 'too many errors, the list is truncated' }
  return new ApiError(
    'StoreReadError',
    `failed to read one or more ${qualified(groupResource)} from the storage: ${found[0]?.message}${more}`,
    {
      name: 'list',
      ...(group !== '' && { group }),
      kind: resource,
      causes: found.length < maxNamed ? [...found] : [...found, tooMany],
    },
  )
}

/**
 * `entryOf` throws a StoreError `corrupt`. `names`: errors name the key of each value, which can still be deleted (gate
 * AllowUnsafeMalformedObjectDeletion). `undecodable` is called for each value that can't be decoded.
 */
export function createEntryReader(
  entryOf: (kv: KeyValue) => StoredObject,
  groupResource: GroupResource,
  names: boolean,
  undecodable: () => void,
): EntryReader {
  function attempt(kv: KeyValue): StoredObject | Problem {
    let decoded = false
    try {
      decoded = kv.value !== undefined
      return entryOf(kv)
    } catch (error) {
      const why = messageOf(error)
      if (decoded) undecodable()
      return { why, decoded }
    }
  }

  return {
    one(kv) {
      const result = attempt(kv)
      if (result instanceof StoredObject) return result
      throw new StoreError('corrupt', names ? readable(kv, result) : result.why)
    },
    isReadable: (kv) => attempt(kv) instanceof StoredObject,
    list(skip) {
      const found: StatusCause[] = []
      const finish = () => {
        if (found.length > 0) throw storeReadError(groupResource, found)
      }
      return {
        finish,
        read(kv) {
          const result = attempt(kv)
          if (result instanceof StoredObject) return result
          if (skip) {
            skip(kv.key, result.why)
            return undefined
          }
          if (!names) throw new StoreError('corrupt', listed(kv, result))
          found.push({ reason: 'UnexpectedServerResponse', field: kv.key, message: readable(kv, result) })
          if (found.length >= maxNamed) finish()
          return undefined
        },
      }
    },
  }
}
