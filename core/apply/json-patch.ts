/** JSON Patch (RFC 6902) with the extensions of the reference server's library: negative indexes, replace as add. */
import { ApiError, badRequest } from '../respond/status.ts'
import { equal } from '../schema/equal.ts'
import { isObject } from '../schema/is-object.ts'
import { parseJsonText, printJson } from '../schema/json-text.ts'
import { clone, get, set } from '../schema/members.ts'
import type { Json, JsonObject } from '../schema/model.ts'
import { forgetRawText } from '../schema/raw-json.ts'
import { jsonTypeName } from './json-values.ts'

const maxOperations = 10_000
/** Maximum characters of JSON that the copy operations of one patch may add. */
const maxCopied = 3 * 1024 * 1024
/** Maximum list items that the insertions and removals of one patch may move. */
const maxShifted = 50_000_000

interface Operation {
  readonly op: string | undefined
  readonly path: string | undefined
  readonly from: string | undefined
  /** Null when absent. */
  readonly value: Json
}

/** A patch that can't be applied. As in the reference server, the message gives no detail. */
export function unprocessablePatch(): ApiError {
  return new ApiError('Invalid', 'the server rejected our request due to an error in our request', {})
}

/** A test operation failed. */
export class PatchTestFailed extends ApiError {
  constructor() {
    super('Invalid', unprocessablePatch().message, {})
  }
}

/**
 * Applies the operations in order and returns the new document; may change the given document, but not the operations.
 * Throws BadRequest for a malformed patch, RequestEntityTooLarge for too many operations, and Invalid when one can't be applied.
 */
export function applyJsonPatch(document: JsonObject, operations: Json): Json {
  const steps = readOperations(operations)
  const budget: Budget = { copied: 0, shifted: 0 }
  let root: Json = document
  try {
    for (const step of steps) root = apply(root, step, budget)
  } catch (error) {
    // Nested copies can become deep enough to overflow the stack of a recursive walk.
    if (error instanceof RangeError) throw unprocessablePatch()
    throw error
  }
  return root
}

function readOperations(operations: Json): Operation[] {
  if (operations === null) return []
  if (!Array.isArray(operations)) throw mismatch(operations, 'value of type []handlers.jsonPatchOp')
  if (operations.length > maxOperations) {
    const text = `The allowed maximum operations in a JSON patch is ${maxOperations}, got ${operations.length}`
    throw new ApiError('RequestEntityTooLarge', `Request entity too large: ${text}`)
  }
  return operations.map((operation) => {
    if (operation === null) return { op: undefined, path: undefined, from: undefined, value: null }
    if (!isObject(operation)) throw mismatch(operation, 'value of type handlers.jsonPatchOp')
    const word = (name: string): string | undefined => {
      const value = get(operation, name) ?? undefined
      if (value === undefined || typeof value === 'string') return value
      throw mismatch(value, `struct field jsonPatchOp.${name} of type string`)
    }
    return { op: word('op'), path: word('path'), from: word('from'), value: get(operation, 'value') ?? null }
  })
}

function mismatch(value: Json, target: string): ApiError {
  return badRequest(`error decoding patch: json: cannot unmarshal ${jsonTypeName(value)} into Go ${target}`)
}

type Container = Json[] | JsonObject

/** Cost of the operations so far. */
interface Budget {
  copied: number
  shifted: number
}

/** Target of a pointer: the container and the last token. */
interface Place {
  readonly container: Container
  readonly key: string
}

function apply(root: Json, { op, path, from, value }: Operation, budget: Budget): Json {
  if (path === undefined) throw unprocessablePatch()
  switch (op) {
    case 'add':
      add(find(root, path), clone(value), budget)
      return root
    case 'remove':
      remove(find(root, path), budget)
      return root
    case 'replace':
      if (path !== '') replace(find(root, path), clone(value))
      else if (typeof value === 'object' && value !== null) return clone(value)
      else throw unprocessablePatch()
      return root
    case 'test':
      if (!equal((path === '' ? root : read(find(root, path))) ?? null, value)) throw new PatchTestFailed()
      return root
    case 'move': {
      const source = find(root, from)
      const moved = read(source)
      remove(source, budget)
      add(find(root, path), moved ?? null, budget)
      return root
    }
    case 'copy': {
      const text = printJson(read(find(root, from)) ?? null)
      const target = find(root, path)
      budget.copied += text.length
      if (budget.copied > maxCopied) throw unprocessablePatch()
      add(target, parseJsonText(text), budget)
      return root
    }
    default:
      throw unprocessablePatch()
  }
}

/** Resolves a JSON pointer (RFC 6901) to the container of its last token. */
function find(root: Json, pointer: string | undefined): Place {
  const tokens = (pointer ?? '').split('/').map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'))
  if (tokens.length < 2) throw unprocessablePatch()
  let container: Json | undefined = root
  const last = tokens.length - 1
  for (let at = 1; at <= last; at++) {
    if (typeof container !== 'object' || container === null) throw unprocessablePatch()
    forgetRawText(container)
    if (at < last) container = read({ container, key: tokens[at] as string })
  }
  return { container: container as Container, key: tokens[last] as string }
}

/** Parses a token as index into `length` items; negative indexes count from the end. */
function indexOf(token: string, length: number): number {
  const index = /^[+-]?[0-9]+$/.test(token) ? Number(token) : Number.NaN
  const from = index < 0 ? index + length : index
  if (!(from >= 0 && from < length)) throw unprocessablePatch()
  return from
}

function read({ container, key }: Place): Json | undefined {
  return Array.isArray(container) ? container[indexOf(key, container.length)] : get(container, key)
}

function add({ container, key }: Place, value: Json, budget: Budget): void {
  if (!Array.isArray(container)) set(container, key, value)
  else if (key === '-') container.push(value)
  else {
    const index = indexOf(key, container.length + 1)
    shift(container.length - index, budget)
    container.splice(index, 0, value)
  }
}

/** Charges the moved items to the budget. */
function shift(count: number, budget: Budget): void {
  budget.shifted += count
  if (budget.shifted > maxShifted) throw unprocessablePatch()
}

function replace({ container, key }: Place, value: Json): void {
  if (Array.isArray(container)) container[indexOf(key, container.length)] = value
  else set(container, key, value)
}

function remove({ container, key }: Place, budget: Budget): void {
  if (Array.isArray(container)) {
    const index = indexOf(key, container.length)
    shift(container.length - index, budget)
    container.splice(index, 1)
  } else if (Object.hasOwn(container, key)) delete container[key]
  else throw unprocessablePatch()
}
