import { encodings, type Format, mediaTypesOf, servedFormats, streamTypesOf } from '../answers/encodings/index.ts'
import { type ApiError, notAcceptable } from '../answers/status.ts'
import type { Platform } from '../platform.ts'
import { parseBool } from '../schema/formats/bool.ts'
import { type AcceptClause, parseAccept } from './accept.ts'

/** Alternative representation that the client requested, a kind of the group meta. */
export interface Transform {
  readonly kind: 'Table' | 'PartialObjectMetadata' | 'PartialObjectMetadataList'
  readonly version: 'v1' | 'v1beta1'
}

/** The negotiated representation of a response. Instances are shared between requests. */
export interface Negotiated {
  readonly format: Format
  /** Value for Content-Type, without parameters; the requested one of the protobuf types. */
  readonly mediaType: string
  /** Whether JSON is indented: parameter `pretty=1`. Never for watches, whose events are one line each. */
  readonly pretty: boolean
  /** Parameter `stream`: `watch` or empty. */
  readonly stream: string
  readonly transform?: Transform
}

/** Capabilities of an endpoint. */
export interface Endpoint {
  /** Whether its kind has a protobuf form, or another one that needs a schema; custom resources have none. */
  readonly protobuf: boolean
  /** Whether its objects can be returned as Table. */
  readonly table: boolean
  /** False if it has no form in encodings behind feature gates: errors before a resource handles the request; default: true. */
  readonly gated?: boolean
  /** False if it has no alternative representations at all, such as errors; default: true. */
  readonly transforms?: boolean
}

export interface Negotiator {
  /** Selects by the Accept header (absent: JSON). Throws NotAcceptable. */
  negotiate(accept: string | null, endpoint: Endpoint): Negotiated
  /** As `negotiate`, for watches, which some encodings do not have. */
  negotiateStream(accept: string | null, endpoint: Endpoint): Negotiated
}

interface Supported {
  readonly format: Format
  readonly type: string
  readonly subtype: string
}

/** Maximum cached headers and characters of one; clients send few different ones. */
const maxRemembered = 200
const maxRememberedLength = 1024
const transformKinds = new Set(['Table', 'PartialObjectMetadata', 'PartialObjectMetadataList'])

/** Creates the negotiator of a server. It caches results by header. `cbor`: whether CBOR is served (KEP-4222). */
export function createNegotiator(platform: Platform, cbor = false): Negotiator {
  const supported = servedFormats(cbor).flatMap((format) =>
    encodings[format].mediaTypes(platform).map((mediaType): Supported => {
      const [type = '', subtype = ''] = mediaType.split('/')
      return { format, type, subtype }
    }),
  )
  const group = platform.name('meta.<domain>')
  const refusal = (streaming: boolean): ApiError => notAcceptable((streaming ? streamTypesOf : mediaTypesOf)(platform, cbor))

  const choose = (accept: string | null, endpoint: Endpoint, streaming: boolean): Negotiated | undefined => {
    if (accept === null || accept === '') return { format: 'json', mediaType: 'application/json', pretty: false, stream: '' }
    for (const clause of parseAccept(accept))
      for (const candidate of supported) {
        const chosen = matches(clause, candidate) ? settle(clause, candidate, endpoint, group) : undefined
        if (chosen === undefined) continue
        if (!streaming) return chosen
        return encodings[chosen.format].stream === undefined ? undefined : { ...chosen, pretty: false }
      }
    return undefined
  }

  /** By capabilities of the endpoint, then by header. */
  const remembered = Array.from({ length: 32 }, () => new Map<string, Negotiated>())
  const recall = (accept: string | null, endpoint: Endpoint, streaming: boolean): Negotiated => {
    const { protobuf, table, transforms = true, gated = true } = endpoint
    const place = (protobuf ? 1 : 0) | (table ? 2 : 0) | (streaming ? 4 : 0) | (transforms ? 8 : 0) | (gated ? 16 : 0)
    const known = remembered[place] as Map<string, Negotiated>
    const key = accept ?? ''
    let found = known.get(key)
    if (found === undefined) {
      found = choose(accept, endpoint, streaming)
      if (found === undefined) throw refusal(streaming)
      if (key.length > maxRememberedLength) return found
      if (known.size >= maxRemembered) known.clear()
      known.set(key, found)
    }
    return found
  }

  return {
    negotiate: (accept, endpoint) => recall(accept, endpoint, false),
    negotiateStream: (accept, endpoint) => recall(accept, endpoint, true),
  }
}

function matches({ type, subtype }: AcceptClause, candidate: Pick<Supported, 'type' | 'subtype'>): boolean {
  if (type === '*') return subtype === '*'
  return type === candidate.type && (subtype === '*' || subtype === candidate.subtype)
}

/** Whether every endpoint supports the parameters that are not about a kind. */
function hasUsualParameters({ parameters }: AcceptClause, format: Format): boolean {
  const stream = parameters.get('stream') ?? ''
  return (stream === '' || (stream === 'watch' && encodings[format].stream !== undefined)) && (parameters.get('sv') ?? 'v1') === 'v1'
}

/** Whether a clause selects a media type such as `application/json`, apart from the kind that it asks for. As in the reference, its quality only orders. */
export function selects(clause: AcceptClause, mediaType: string, format: Format): boolean {
  const [type = '', subtype = ''] = mediaType.split('/')
  return matches(clause, { type, subtype }) && hasUsualParameters(clause, format)
}

/** Applies a clause's parameters to a candidate; undefined when the endpoint does not support them. */
function settle(clause: AcceptClause, { format, type, subtype }: Supported, endpoint: Endpoint, group: string): Negotiated | undefined {
  if (!hasUsualParameters(clause, format)) return undefined
  const { isGated, needsSchema, hasTables } = encodings[format]
  if (isGated && endpoint.gated === false) return undefined
  const { parameters } = clause
  const stream = parameters.get('stream') ?? ''
  const chosen = { format, mediaType: `${type}/${subtype}`, pretty: parameters.get('pretty') === '1', stream }
  const kind = parameters.get('as')
  const version = parameters.get('v')
  const wanted = parameters.get('g')
  if (kind === undefined && version === undefined && wanted === undefined) return needsSchema && !endpoint.protobuf ? undefined : chosen
  if (endpoint.transforms === false) return undefined
  if (wanted !== group || (version !== 'v1' && version !== 'v1beta1') || !transformKinds.has(kind ?? '')) return undefined
  if (kind === 'Table' && (!endpoint.table || !hasTables)) return undefined
  return { ...chosen, transform: { kind: kind as Transform['kind'], version } }
}

/** User agents of people: command-line tools and browsers. */
const people = /^(?:curl|Wget|Mozilla\/5\.0)/

/**
 * Whether to indent JSON: as `?pretty` says (anything but a true boolean means no), or, if it is missing or empty, for the user agents of
 * people (apiserver/pkg/endpoints/handlers/negotiation).
 */
export function isPretty(query: URLSearchParams, headers: Headers): boolean {
  const wanted = query.size > 0 && query.get('pretty')
  return wanted ? parseBool(wanted) === true : people.test(headers.get('user-agent') ?? '')
}
