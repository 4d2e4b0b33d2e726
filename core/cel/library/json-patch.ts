/** JSON patches in mutating policies; an additional library of their environment. */
import { declare, type FunctionDeclaration } from '../functions.ts'
import { type CelType, dynType, objectType, stringType } from '../types.ts'
import { traversesFirst } from './costs.ts'
import { mapping } from './strings.ts'

/** Escapes a key for a path (RFC 6901). */
const escapeKey = mapping((key) => key.replace(/[~/]/g, (each) => (each === '~' ? '~0' : '~1')))

export const jsonPatchLibrary = (): readonly FunctionDeclaration[] =>
  declare([['string_jsonpatch_escapeKey_string', 'jsonpatch.escapeKey(string): string', escapeKey, traversesFirst]])

/** `JSONPatch{op: 'add', path: '/a', value: 1}`. */
export const jsonPatchType: CelType = objectType('JSONPatch', { op: stringType, path: stringType, from: stringType, value: dynType })
