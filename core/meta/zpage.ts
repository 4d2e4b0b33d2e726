/** What `/statusz` and `/flagz` have in common (KEP-4827, KEP-4828): text, or a structured kind when Accept names it. */

import { encode } from '../answers/encode.ts'
import { encodings, servedFormats } from '../answers/encodings/index.ts'
import { Reply } from '../answers/reply.ts'
import { notAcceptable } from '../answers/status.ts'
import type { Platform } from '../platform.ts'
import { covers, parseAccept } from '../request/accept.ts'
import { isPretty } from '../request/negotiate.ts'
import type { JsonObject } from '../schema/model.ts'
import type { FixedRequest } from './fixed-request.ts'

export interface ZPage {
  /** Such as `Statusz`; in lower case it is the page's name. */
  readonly kind: string
  /** Lines of the text below its warning. */
  lines(): readonly string[]
  /** Fields of the structured kind. */
  fields(): JsonObject
}

/** The reference's name of itself on these pages. */
const component = 'apiserver'
const versions = ['v1beta1', 'v1alpha1']
const warning =
  'Warning: This endpoint is not meant to be machine parseable, has no formatting compatibility guarantees and is for debugging purposes only.'

/** Throws 406. `cbor`: whether the structured kinds have this form, too (KEP-4222). */
export function createZPage(platform: Platform, cbor: boolean, { kind, lines, fields }: ZPage): (request: FixedRequest) => Response {
  const structuredTypes = (gated: boolean) =>
    servedFormats(gated).flatMap((format) => {
      const { needsSchema, mediaTypes } = encodings[format]
      return needsSchema ? [] : [[mediaTypes(platform)[0], format] as const]
    })
  const [usual, structured] = [structuredTypes(false), structuredTypes(cbor)]
  const name = kind.toLowerCase()
  const group = platform.name('config.<domain>')
  const deprecated = `This version of the ${name} endpoint is deprecated. Please use a newer version.`

  const text = () =>
    new Reply(['', `${component} ${name}`, warning, ...lines(), ''].join('\n'), {
      headers: { 'Content-Type': 'text/plain; charset=utf-8' },
    })

  return ({ request, query }) => {
    for (const clause of parseAccept(request.headers.get('accept'))) {
      const { parameters } = clause
      const [as, version = ''] = [parameters.get('as'), parameters.get('v')]
      if (as === undefined) {
        if (covers(clause, 'text/plain')) return text()
        continue
      }
      const found = structured.find(([type]) => covers(clause, type))
      if (!found || as !== kind || parameters.get('g') !== group || !versions.includes(version)) continue
      const [type, format] = found
      const value = { kind, apiVersion: `${group}/${version}`, metadata: { name: component }, ...fields() }
      const bytes = encode({ value, schema: undefined }, format, parameters.get('pretty') === '1' || isPretty(query, request.headers))
      const headers = {
        'Content-Type': `${type};g=${group};v=${version};as=${kind}`,
        ...(version === 'v1alpha1' && { Warning: `299 - "${deprecated}"` }),
      }
      return new Reply(bytes as Uint8Array<ArrayBuffer>, { headers })
    }
    throw notAcceptable(structured.map(([type]) => type).toSpliced(usual.length, 0, 'text/plain'))
  }
}
