/** The items of a list. A test that waits asks for the same list again and again, whose JSON takes longer to parse than all other work. */
import { Reply } from '../../core/answers/reply.ts'
import type { Json } from '../../core/schema/model.ts'
import { jsonCopy } from './json-copy.ts'

interface List {
  readonly items: Json[]
}

/** Maximum bytes of a list whose items are kept. */
const maxKept = 1024 * 1024

/** By body: the server answers with the same bytes while a list has the same objects. Undefined: they were there once. */
const known = new WeakMap<Uint8Array, List | undefined>()

/** Objects that the caller may change. Of a body that was there before, they are parsed once more, and copied from then on. */
export async function itemsOf(response: Response): Promise<unknown[]> {
  const body = Reply.bodyOf(response)
  const list = body instanceof Uint8Array ? known.get(body) : undefined
  if (list) return jsonCopy(list.items) as Json[]
  const { items } = JSON.parse(await response.text()) as List
  if (!(body instanceof Uint8Array) || body.length > maxKept) return items
  known.set(body, known.has(body) ? { items: jsonCopy(items) as Json[] } : undefined)
  return items
}
