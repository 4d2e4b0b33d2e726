import { badRequest } from '../answers/status.ts'
import type { Platform } from '../platform.ts'

/** Position at which a paginated list continues. */
export interface ContinuePoint {
  /** Smallest key of the next page, relative to the list's prefix, without a leading slash: the last one of the page with a zero byte. */
  readonly start: string
  /** Revision of the first page; -1: the current revision. */
  readonly revision: number
}

/** Revision in tokens for inconsistent continuation, given out after the first page's revision was compacted. */
export const inconsistent = -1

const version = 'meta.<domain>/v1'

/**
 * Encodes a continue token: unpadded base64url of JSON. `slash`: the key has a leading slash, as in the reference's tokens of pages from its watch
 * cache; either server reads both forms.
 */
export function encodeContinue({ start, revision }: ContinuePoint, platform: Platform, slash = false): string {
  const bytes = new TextEncoder().encode(JSON.stringify({ v: platform.name(version), rv: revision, start: slash ? `/${start}` : start }))
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')
}

/** Decodes a continue token. It can't point outside the list's prefix. Throws BadRequest. */
export function decodeContinue(token: string, platform: Platform): ContinuePoint {
  const { v, rv = 0, start = '' } = readToken(token)
  const known = platform.name(version)
  if (v !== known) throw fail(`: server does not recognize this encoded version ${typeof v === 'string' ? v : ''}`)
  if (typeof rv !== 'number' || typeof start !== 'string' || !Number.isSafeInteger(rv)) throw fail(': malformed token')
  if (rv === 0) throw fail(`: incorrect encoded start resourceVersion (version ${known})`)
  if (start === '') throw fail(`: encoded start key empty (version ${known})`)
  const key = start.startsWith('/') ? start.slice(1) : start
  if (key.split('/').some((part, index, parts) => part === '.' || part === '..' || (part === '' && (index > 0 || parts.length > 1))))
    throw fail(`: ${start}`)
  return { start: key, revision: rv }
}

function readToken(token: string): { readonly [name: string]: unknown } {
  const at = token.search(/[^A-Za-z0-9_-]/)
  if (at >= 0 || token.length % 4 === 1) throw fail(`: illegal base64 data at input byte ${at >= 0 ? at : token.length - 1}`)
  try {
    const bytes = Uint8Array.from(atob(token.replaceAll('-', '+').replaceAll('_', '/')), (character) => character.charCodeAt(0))
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
    if (typeof value === 'object' && value !== null) return value as { readonly [name: string]: unknown }
  } catch {}
  throw fail(': malformed token')
}

const fail = (why: string) => badRequest(`invalid continue token: continue key is not valid${why}`)
