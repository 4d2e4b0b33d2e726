/** Validates the KMS v2 envelope of a value, read from the store or about to be written. */
import { utf8Length } from '../../schema/bytes.ts'
import { DecodeError } from '../../schema/decode-error.ts'
import { isLabel } from '../../schema/formats/name-formats.ts'
import { aggregated, TransformError } from '../transformer.ts'
import { EncryptedObject, sourceTypes } from './messages.ts'
import type { Annotations } from './wire.ts'

const largestSource = 1024
const maxKeyIdBytes = 1024
const largestAnnotations = 32 * 1024

/** Why a key id is invalid, as code and message; undefined: it is valid. */
export function keyIdProblem(keyId: string): { readonly code: 'empty' | 'too_long'; readonly message: string } | undefined {
  if (keyId === '') return { code: 'empty', message: 'keyID is empty' }
  const length = utf8Length(keyId)
  if (length <= maxKeyIdBytes) return undefined
  return { code: 'too_long', message: `keyID is ${length} bytes, which exceeds the max size of ${maxKeyIdBytes}` }
}

function sourceProblem({ length }: Uint8Array): string | undefined {
  if (length === 0) return 'encrypted DEK source is empty'
  return length > largestSource ? `encrypted DEK source is ${length} bytes, which exceeds the max size of ${largestSource}` : undefined
}

/** Names must be domains with at least two labels, such as `version.plugin.example.com`. */
function annotationsProblem(annotations: Annotations): string | undefined {
  const problems: string[] = []
  let size = 0
  for (const [name, { length }] of annotations) {
    size += utf8Length(name) + length
    if (size > largestAnnotations) continue
    const labels = name.replace(/\.$/, '').split('.')
    if (labels.length < 2 || !labels.every((label) => isLabel(label) && label.length <= 63))
      problems.push(`annotations: Invalid value: ${JSON.stringify(name)}: should be a domain with at least two segments separated by dots`)
  }
  if (size > largestAnnotations) problems.push(`total size of annotations is ${size}, which exceeds the max size of ${largestAnnotations}`)
  return problems.length === 0 ? undefined : aggregated(problems)
}

function problemOf(object: EncryptedObject): string | undefined {
  const type = object.encryptedDekSourceType
  if (type !== sourceTypes.key && type !== sourceTypes.seed) return `unknown encryptedDEKSourceType: ${type}`
  if (object.encryptedData.length === 0) return 'encrypted data is empty'
  const rows = [
    ['encrypted DEK source', sourceProblem(object.encryptedDekSource)],
    ['key id', keyIdProblem(object.keyId)?.message],
    ['annotations', annotationsProblem(object.annotations)],
  ] as const
  const [what, why] = rows.find(([, problem]) => problem !== undefined) ?? []
  return why === undefined ? undefined : `failed to validate ${what}: ${why}`
}

/** @throws TransformError when the envelope is invalid. */
export function validateEncryptedObject(object: EncryptedObject): void {
  const problem = problemOf(object)
  if (problem !== undefined) throw new TransformError(problem)
}

/** @throws TransformError */
export function readEncryptedObject(stored: Uint8Array): EncryptedObject {
  let object: EncryptedObject
  try {
    object = EncryptedObject.decode(stored)
  } catch (error) {
    if (error instanceof DecodeError) throw new TransformError('proto: cannot parse invalid wire-format data')
    throw error
  }
  validateEncryptedObject(object)
  return object
}
