/** Media types of paths, compared as go-restful does it: before anything is read of the request but its path and method. */

import { mediaTypesOf, otherTypesOf, streamTypesOf } from '../answers/encodings/index.ts'
import { notProduced } from '../answers/status.ts'
import type { Platform } from '../platform.ts'
import type { Produces } from '../resources/routes.ts'

/** Maximum remembered headers, and characters of one. */
const maxRemembered = 200
const maxRememberedLength = 1024

/** Without spaces at both ends; other white space stays. */
function withoutSpaces(text: string): string {
  let [start, end] = [0, text.length]
  while (text[start] === ' ') start++
  while (end > start && text[end - 1] === ' ') end--
  return text.slice(start, end)
}

/** Whether a header names one of the media types. Parameters don't count, and there are no wildcards. */
export const names = (header: string, types: readonly string[]): boolean =>
  types.includes(header) || header.split(',').some((clause) => types.includes(withoutSpaces(clause.split(';', 1)[0] as string)))

/** Throws 406 unless the header accepts one of the media types, or another name of one of them. */
export function checkAccepts(accept: string | null, types: readonly string[], otherNames: readonly string[] = []): void {
  if (accept !== null && accept !== '' && !names(accept, [...types, ...otherNames, '*/*'])) throw notProduced(types)
}

/** What is checked before a resource's verb: the Accept header, against the media types of the path. Throws 406. `cbor`: whether it is served. */
export function createRouteMedia(platform: Platform, cbor: boolean): (accept: string | null, produces: Produces) => void {
  const objects = mediaTypesOf(platform, cbor)
  const types: { readonly [produces in Produces]: readonly string[] | undefined } = {
    objects,
    lists: [...objects, ...streamTypesOf(platform, cbor)],
    text: ['text/plain', ...objects],
    anything: undefined,
  }
  const otherNames = otherTypesOf(platform)
  const remembered = { objects: new Set<string>(), lists: new Set<string>(), text: new Set<string>(), anything: new Set<string>() }
  return (accept, produces) => {
    if (accept === null || accept === 'application/json') return
    const offered = types[produces]
    const known = remembered[produces]
    if (offered === undefined || known.has(accept)) return
    checkAccepts(accept, offered, otherNames)
    if (accept.length > maxRememberedLength) return
    if (known.size >= maxRemembered) known.clear()
    known.add(accept)
  }
}
