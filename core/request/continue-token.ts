import { badRequest } from '../answers/status.ts'
import type { Platform } from '../platform.ts'
import { DecodeError, decode } from '../schema/decode.ts'
import { syntaxFault } from '../schema/json/syntax.ts'
import { parseJsonText } from '../schema/json/text.ts'
import { type Infer, int64, message, required, string } from '../schema/model.ts'

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
  const { v, rv, start } = readToken(token)
  const known = platform.name(version)
  if (v !== known) throw fail(`: server does not recognize this encoded version ${v}`)
  if (rv === 0) throw fail(`: incorrect encoded start resourceVersion (version ${known})`)
  if (start === '') throw fail(`: encoded start key empty (version ${known})`)
  const key = start.startsWith('/') ? start.slice(1) : start
  if (key.split('/').some((part, index, parts) => part === '.' || part === '..' || (part === '' && (index > 0 || parts.length > 1))))
    throw fail(`: ${start}`)
  return { start: key, revision: Number(rv) }
}

/** What a token holds, under the reference's names. */
const Token = message('continueToken', 'Where a list continues.', {
  v: required(1, string, 'Version of the form of tokens.'),
  rv: required(2, int64, 'Revision.'),
  start: required(3, string, 'First key.'),
}).with({ goPackage: 'storage' })

function readToken(token: string): Infer<typeof Token> {
  const at = token.search(/[^A-Za-z0-9_-]/)
  if (at >= 0 || token.length % 4 === 1) throw fail(`: illegal base64 data at input byte ${at >= 0 ? at : token.length - 1}`)
  const bytes = Uint8Array.from(atob(token.replaceAll('-', '+').replaceAll('_', '/')), (character) => character.charCodeAt(0))
  const fault = syntaxFault(bytes)
  if (fault !== undefined) throw fail(`: ${fault}`)
  try {
    return decode(Token, parseJsonText(new TextDecoder().decode(bytes)) ?? {}).value as Infer<typeof Token>
  } catch (error) {
    throw error instanceof DecodeError ? fail(`: ${error.message}`) : error
  }
}

const fail = (why: string) => badRequest(`invalid continue token: continue key is not valid${why}`)
