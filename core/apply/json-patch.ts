/** JSON Patch (RFC 6902) with the extensions of the reference server's library: negative indexes, replace as add. */
import { ApiError, badRequest } from '../answers/status.ts'
import { equal } from '../schema/json/equal.ts'
import { copyOf } from '../schema/json/given-empty.ts'
import { isObject } from '../schema/json/is-object.ts'
import { clone, get, set } from '../schema/json/members.ts'
import { parseJsonText, printJson } from '../schema/json/text.ts'
import type { Json, JsonObject } from '../schema/model.ts'
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
export class UnprocessablePatch extends ApiError {
  /** Error text of the reference's patch library, which clients see for patches of webhooks. */
  readonly detail: string
  constructor(detail: string) {
    super('Invalid', 'the server rejected our request due to an error in our request', {})
    this.detail = detail
  }
}

/** A test operation failed. */
export class PatchTestFailed extends UnprocessablePatch {
  constructor(path: string) {
    super(`testing value ${path} failed: test failed`)
  }
}

const missing = (text: string) => new UnprocessablePatch(`${text}: missing value`)

/**
 * Applies the operations in order and returns the new document, which shares what they do not reach with the given one.
 * Throws BadRequest for a malformed patch, RequestEntityTooLarge for too many operations, and Invalid when one can't be applied.
 */
export function applyJsonPatch(document: JsonObject, patch: Json): Json {
  const steps = readOperations(patch)
  const patching = new Patching(document)
  try {
    for (const step of steps) apply(patching, step)
  } catch (error) {
    // Nested copies can become deep enough to overflow the stack of a recursive walk.
    if (error instanceof RangeError) throw new UnprocessablePatch('the document is nested too deeply')
    throw error
  }
  return patching.root
}

function readOperations(patch: Json): Operation[] {
  if (patch === null) return []
  if (!Array.isArray(patch)) throw mismatch(patch, 'value of type []handlers.jsonPatchOp')
  if (patch.length > maxOperations) {
    const text = `The allowed maximum operations in a JSON patch is ${maxOperations}, got ${patch.length}`
    throw new ApiError('RequestEntityTooLarge', `Request entity too large: ${text}`)
  }
  return patch.map((operation) => {
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

/** The patched document, and the cost of the operations so far. */
class Patching {
  root: Json
  copied = 0
  shifted = 0
  /** The objects and lists of `root` that were copied, and may be changed. */
  readonly #own = new Set<Container>()

  constructor(document: JsonObject) {
    this.root = this.own(document)
  }

  /** The value itself if it may be changed, otherwise a copy of it, without the text that it keeps; its members are shared. */
  own<T extends Container>(value: T): T {
    if (this.#own.has(value)) return value
    const copy = (Array.isArray(value) ? [...value] : copyOf(value)) as T
    this.#own.add(copy)
    return copy
  }
}

/** Target of a pointer: the container and the last token. */
interface PatchTarget {
  readonly container: Container
  readonly key: string
}

/** Runs a step; the error of a patch that can't be applied gets `what` (operation and path) in front. */
function within<T>(what: string, step: () => T): T {
  try {
    return step()
  } catch (error) {
    throw error instanceof UnprocessablePatch ? new UnprocessablePatch(`${what}: ${error.detail}`) : error
  }
}

/** The path of an operation. Throws when it is absent; `why` ends the message. */
function pathOf({ op, path }: Operation, why = ''): string {
  if (path === undefined) throw missing(`${op} operation failed to decode path${why}`)
  return path
}

function fromOf({ op, from }: Operation): string {
  if (from === undefined) throw missing(`${op} operation failed to decode from: operation, missing from field`)
  return from
}

const noPath = ': operation missing path field'

/** Applies one operation. */
type Apply = (patching: Patching, operation: Operation) => void

/** The place of a pointer; `what`: what is missing otherwise. */
function place(patching: Patching, { op }: Operation, pointer: string, what: string, shown = pointer): PatchTarget {
  const found = find(patching, pointer)
  if (found === undefined) throw missing(`${op} operation does not apply: ${what}: ${shown}`)
  return found
}

const operations: { readonly [op: string]: Apply } = {
  add(patching, operation) {
    const path = pathOf(operation)
    const target = place(patching, operation, path, 'doc is missing path', JSON.stringify(path))
    within(`error in add for path: '${path}'`, () => add(target, clone(operation.value), patching))
  },
  remove(patching, operation) {
    const path = pathOf(operation)
    const target = place(patching, operation, path, 'doc is missing path', JSON.stringify(path))
    within(`error in remove for path: '${path}'`, () => remove(target, patching))
  },
  replace(patching, operation) {
    const path = pathOf(operation, noPath)
    const { value } = operation
    if (path === '') {
      if (!isContainer(value)) throw new UnprocessablePatch('replace operation value must be object or array')
      patching.root = clone(value)
      return
    }
    const { container, key } = place(patching, operation, path, 'doc is missing path')
    if (!Array.isArray(container)) set(container, key, clone(value))
    else {
      const index = positionOf(key, container.length)
      if (index === undefined) throw missing(`replace operation does not apply: doc is missing key: ${path}`)
      container[index] = clone(value)
    }
  },
  test(patching, operation) {
    const path = pathOf(operation, noPath)
    const read = () => within(`error in test for path: '${path}'`, () => valueAt(place(patching, operation, path, 'is missing path')))
    if (!equal((path === '' ? patching.root : read()) ?? null, operation.value)) throw new PatchTestFailed(path)
  },
  move(patching, operation) {
    const from = fromOf(operation)
    const source = place(patching, operation, from, 'doc is missing from path')
    const moved = within(`error in move for path: '${source.key}'`, () => {
      const value = valueAt(source)
      remove(source, patching)
      return value
    })
    const path = pathOf(operation, noPath)
    const target = place(patching, operation, path, 'doc is missing destination path')
    within(`error in move for path: '${path}'`, () => add(target, moved ?? null, patching))
  },
  copy(patching, operation) {
    const from = fromOf(operation)
    const source = place(patching, operation, from, 'doc is missing from path')
    const text = printJson(within(`error in copy for from: '${from}'`, () => valueAt(source)) ?? null)
    const target = place(patching, operation, pathOf(operation), 'doc is missing destination path')
    patching.copied += text.length
    if (patching.copied > maxCopied) throw new UnprocessablePatch(copiedTooMuch(patching.copied))
    within('error while adding value during copy', () => add(target, parseJsonText(text), patching))
  },
}

const copiedTooMuch = (size: number) =>
  `Unable to complete the copy, the accumulated size increase of copy is ${size}, exceeding the limit ${maxCopied}`

function apply(patching: Patching, operation: Operation): void {
  const { op = 'unknown' } = operation
  const step = Object.hasOwn(operations, op) ? operations[op] : undefined
  if (step === undefined) throw new UnprocessablePatch(`Unexpected kind: ${op}`)
  step(patching, operation)
}

/** The tokens of a JSON pointer (RFC 6901), after what comes before the first slash. */
export const tokensOf = (pointer: string): string[] => pointer.split('/').map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'))

const isContainer = (value: Json | undefined): value is Container => typeof value === 'object' && value !== null

/** Resolves a JSON pointer to the container of its last token, which may be changed; undefined: there is none. */
function find(patching: Patching, pointer: string): PatchTarget | undefined {
  const tokens = tokensOf(pointer)
  if (tokens.length < 2 || !isContainer(patching.root)) return undefined
  let container: Container = patching.own(patching.root)
  patching.root = container
  const last = tokens.length - 1
  for (let at = 1; at < last; at++) {
    const token = tokens[at] as string
    const key = Array.isArray(container) ? String(positionOf(token, container.length)) : token
    const inner: Json | undefined = get(container as JsonObject, key)
    if (!isContainer(inner)) return undefined
    const own = patching.own(inner)
    if (own !== inner) set(container as JsonObject, key, own)
    container = own
  }
  return { container, key: tokens[last] as string }
}

const isIndex = (token: string) => /^[+-]?[0-9]+$/.test(token)

/** Parses a token as index into `length` items; negative indexes count from the end. Undefined: not an index of an item. */
function positionOf(token: string, length: number): number | undefined {
  const index = isIndex(token) ? Number(token) : Number.NaN
  const from = index < 0 ? index + length : index
  return from >= 0 && from < length ? from : undefined
}

/** As `positionOf`; throws for what is not an index. */
function indexOf(token: string, length: number): number {
  const index = positionOf(token, length)
  if (index !== undefined) return index
  throw new UnprocessablePatch(
    isIndex(token)
      ? `Unable to access invalid index: ${Number(token)}: invalid index referenced`
      : `strconv.Atoi: parsing ${JSON.stringify(token)}: invalid syntax`,
  )
}

function valueAt({ container, key }: PatchTarget): Json | undefined {
  return Array.isArray(container) ? container[indexOf(key, container.length)] : get(container, key)
}

function add({ container, key }: PatchTarget, value: Json, patching: Patching): void {
  if (!Array.isArray(container)) set(container, key, value)
  else if (key === '-') container.push(value)
  else {
    if (!isIndex(key)) within(`value was not a proper array index: '${key}'`, () => indexOf(key, 0))
    const index = indexOf(key, container.length + 1)
    shift(container.length - index, patching)
    container.splice(index, 0, value)
  }
}

/** Charges the moved items to the budget. */
function shift(count: number, patching: Patching): void {
  patching.shifted += count
  if (patching.shifted > maxShifted) throw new UnprocessablePatch('the patch moves too many list items')
}

function remove({ container, key }: PatchTarget, patching: Patching): void {
  if (Array.isArray(container)) {
    const index = indexOf(key, container.length)
    shift(container.length - index, patching)
    container.splice(index, 1)
  } else if (Object.hasOwn(container, key)) delete container[key]
  else throw missing(`Unable to remove nonexistent key: ${key}`)
}
