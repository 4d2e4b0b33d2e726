/** Expectations that say in what an object, or the work of a controller, differs from what a test wants. */
import { isObject } from '../../core/schema/json/is-object.ts'
import { type Change, changesOf, textOf } from './changes.ts'
import type { ObjectClient } from './objects.ts'
import { isWrite, type Selection } from './selection.ts'
import type { TestServer } from './server.ts'

/** What an object has in the places that are wanted. Lists are compared as a whole. */
function partOf(object: unknown, wanted: unknown): unknown {
  if (!isObject(object) || !isObject(wanted)) return object
  return Object.fromEntries(Object.entries(wanted).map(([name, part]) => [name, partOf(object[name], part)]))
}

const differences = (object: unknown, wanted: object): Change[] => changesOf(wanted, partOf(object, wanted))

/**
 * Waits until an object has these fields, of which lists are compared as a whole, and returns it. Rejects after `timeout` milliseconds (default 4,000)
 * with what differs: `~ data.tea: "4" → "3"` wants 4, and has 3.
 */
export async function expectObject<T extends object>(
  objects: Pick<ObjectClient<T>, 'until'>,
  name: string,
  wanted: object,
  timeout?: number,
): Promise<T> {
  let last: T | undefined
  try {
    return await objects.until(
      name,
      (object) => {
        last = object
        return differences(object, wanted).length === 0
      },
      timeout,
    )
  } catch (error) {
    if (last === undefined) throw error
    throw new Error(`${name} is not as expected (expected → seen):\n${textOf(differences(last, wanted))}`, { cause: error })
  }
}

/**
 * Runs `work` and rejects when writes reach the server meanwhile: with who wrote what, and what that changed. A write that changes nothing counts, too.
 * `selection`: the writes that count, such as those of one user; default: all.
 */
export async function expectNoWrites<T>(
  server: Pick<TestServer, 'requests'>,
  work: () => Promise<T>,
  selection: Selection = {},
): Promise<T> {
  const before = new Set(server.requests.find(selection))
  const result = await work()
  const writes = server.requests.find(selection).filter((request) => isWrite(request) && !before.has(request))
  if (writes.length > 0)
    throw new Error(`${writes.length === 1 ? 'a write' : `${writes.length} writes`} without need:\n${writes.join('\n')}`)
  return result
}
