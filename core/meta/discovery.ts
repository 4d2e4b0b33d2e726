import { encodeBody } from '../answers/encode.ts'
import { encodings, type Format, formats, mediaTypesOf, otherTypesOf, servedFormats } from '../answers/encodings/index.ts'
import { Reply } from '../answers/reply.ts'
import { notAcceptable, notAllowed } from '../answers/status.ts'
import type { Pauses } from '../common/slices.ts'
import type { Recorded } from '../metrics.ts'
import type { Platform } from '../platform.ts'
import { parseAccept } from '../request/accept.ts'
import { isPretty, selects } from '../request/negotiate.ts'
import { checkAccepts } from '../request/route-media.ts'
import { APIGroupDiscoveryList } from '../resources/apidiscovery/apigroupdiscovery.ts'
import { APIGroup, APIGroupList, APIResourceList, APIVersions } from '../resources/meta/discovery.ts'
import { parseJsonText } from '../schema/json/text.ts'
import type { JsonObject, Message } from '../schema/model.ts'
import { aggregatedList, aggregatedType, type DiscoveredGroup } from './aggregated-discovery.ts'
import { type BuildDocument, lazyDocument, lazyEncoding, respondWith } from './document.ts'
import type { FixedRequest } from './fixed-request.ts'
import { type GroupSource, type ListedGroup, mergeGroups, type PublishedGroup, type PublishedVersion, perRevision } from './group-source.ts'
import { mergeServers } from './merge-servers.ts'
import type { peerListRows } from './peer-list-metrics.ts'
import { createStorageVersionHash } from './storage-version-hash.ts'

export interface DiscoveryOptions {
  /** The first source of a group version is the one that is listed. */
  readonly sources: readonly GroupSource[]
  /**
   * Other servers of the cluster. What they serve is in the current aggregated list of `/apis`, for clients without `profile=nopeer`. Absent:
   * they are not asked.
   */
  readonly peers?: PeerLists | undefined
  /** Absent: nothing is counted. */
  readonly metrics?: Recorded<typeof peerListRows> | undefined
  /** Groups as `/apis` and `/apis/GROUP` list them; absent: those of the sources. */
  readonly listed?: { readonly revision: number; groups(): readonly ListedGroup[] } | undefined
  readonly platform: Platform
  readonly pauses: Pauses
  /** Host and port in the answer of `/api`. */
  readonly serverAddress: string
  /** Whether resources have a storage version hash (gate StorageVersionHash). */
  readonly hashes: boolean
  /** Whether group versions of built-in kinds are listed as CBOR, too. */
  readonly cbor?: boolean
  /** Versions of the aggregated list, such as `v2`. */
  readonly aggregatedVersions: readonly string[]
}

/** What all servers of the cluster serve below `/apis`. */
export interface PeerLists {
  /** Changes whenever the result of `others` changes. */
  readonly revision: number
  /** Name of this server. */
  readonly identity: string
  /** The lists of the other servers, by their names. */
  others(): ReadonlyMap<string, readonly DiscoveredGroup[]>
}

export interface Discovery {
  /**
   * Answers `/api`, `/apis`, `/apis/GROUP` and the paths of group versions, with or without trailing slash.
   * Undefined for other paths. Throws MethodNotAllowed, rejects with NotAcceptable.
   */
  respond(request: FixedRequest): Promise<Response> | undefined
}

/** Profile of the aggregated list without the resources of peers, in media types. */
const noPeers = 'nopeer'
const current = 'v2'

const isCore = ({ name }: PublishedGroup) => name === ''
const isNamed = ({ name }: PublishedGroup) => name !== ''

/** The list of a path. */
interface List {
  readonly documents: Encodings
  readonly cbor: boolean
  /** Whether only GET is served, as by web services of the reference; other lists serve all methods. */
  readonly service: boolean
}

/** A list in each format, built on demand. */
type Encodings = { readonly [encoding in Format | 'indented']: BuildDocument }

const decoder = new TextDecoder()

function inAllEncodings(schema: Message, build: () => unknown, pauses: Pauses): Encodings {
  const value = lazyDocument(build, pauses)
  const as = (format: Format, pretty = false) =>
    lazyEncoding(value, (json) => {
      const read = parseJsonText(decoder.decode(json)) as JsonObject & { kind: string }
      return encodeBody({ value: read, schema }, format, pretty) as Uint8Array<ArrayBuffer>
    })
  return {
    ...(Object.fromEntries(formats.map((format) => [format, as(format)])) as Omit<Encodings, 'indented'>),
    indented: as('json', true),
  }
}

/** Discovery documents: the list of each path, and the aggregated list (KEP-3352) for clients that request it. */
export function createDiscovery(options: DiscoveryOptions): Discovery {
  const { sources, peers, metrics, listed, platform, pauses, serverAddress, hashes, aggregatedVersions, cbor = false } = options
  const storageVersionHash = hashes ? createStorageVersionHash() : async () => undefined
  const documents = perRevision([...sources, ...(peers ? [peers] : []), ...(listed ? [listed] : [])], () => {
    const groups = mergeGroups(sources)
    const core = groups.filter(isCore)
    const named = groups.filter(isNamed)
    const shown: readonly ListedGroup[] = listed?.groups() ?? named
    const lists = new Map<string, List>()
    const add = (path: string, service: boolean, schema: Message, build: () => unknown, isCbor = false) =>
      lists.set(path, { service, cbor: isCbor, documents: inAllEncodings(schema, build, pauses) })
    add('/api', true, APIVersions, () => apiVersions(core, serverAddress))
    add('/apis', false, APIGroupList, () => ({ kind: 'APIGroupList', apiVersion: 'v1', groups: shown.map(groupEntry) }))
    for (const group of [...named, ...shown])
      add(`/apis/${group.name}`, false, APIGroup, () => ({ kind: 'APIGroup', apiVersion: 'v1', ...groupEntry(group) }))
    for (const version of groups.flatMap(({ versions }) => versions))
      add(version.path, version.service, APIResourceList, () => resourceList(version, storageVersionHash), cbor && version.service)
    const aggregated = new Map<string, Encodings>()
    for (const version of aggregatedVersions) {
      for (const [path, own] of [
        ['/api', core],
        ['/apis', named],
      ] as const) {
        const documents = inAllEncodings(APIGroupDiscoveryList, () => aggregatedList(own, version, platform), pauses)
        aggregated.set(`${path} ${version}`, documents)
      }
    }
    const merged = peers && {
      isNew: true,
      documents: inAllEncodings(
        APIGroupDiscoveryList,
        () => {
          const own = aggregatedList(named, current, platform)
          return {
            ...own,
            items: mergeServers(new Map<string, readonly DiscoveredGroup[]>([...peers.others(), [peers.identity, own.items]])),
          }
        },
        pauses,
      ),
    }
    return { lists, aggregated, merged }
  })

  return {
    respond(asked) {
      const path = asked.path.endsWith('/') ? asked.path.slice(0, -1) : asked.path
      const { lists, aggregated, merged } = documents()
      const list = lists.get(path)
      if (!list) return undefined
      if (list.service) {
        if (asked.request.method !== 'GET') throw notAllowed()
        checkAccepts(asked.request.headers.get('accept'), mediaTypesOf(platform, list.cbor), otherTypesOf(platform))
      }
      const find = (version: string, profile: string | undefined) => {
        if (version !== current) return aggregated.get(`${path} ${version}`)
        if (profile === noPeers) metrics?.alone.add([])
        if (profile === noPeers || path !== '/apis' || merged === undefined) return aggregated.get(`${path} ${version}`)
        metrics?.[merged.isNew ? 'misses' : 'hits'].add([])
        merged.isNew = false
        return merged.documents
      }
      return negotiate(asked, list, find, platform)
    },
  }
}

/** A document is recorded as JSON whatever the client gets; an unchanged one is not. */
async function observed(response: Response, { observer }: FixedRequest, { json }: Encodings): Promise<Response> {
  if (observer === undefined || response.status !== 200) return response
  const { bytes } = await json()
  observer.responding(() => bytes)
  return response
}

async function negotiate(
  asked: FixedRequest,
  { documents: list, cbor }: List,
  aggregated: (version: string, profile: string | undefined) => Encodings | undefined,
  platform: Platform,
): Promise<Response> {
  const { request, query } = asked
  const types = servedFormats(cbor).flatMap((format) => encodings[format].mediaTypes(platform).map((type) => [type, format] as const))
  for (const range of parseAccept(request.headers.get('Accept'))) {
    const found = types.find(([mediaType, format]) => selects(range, mediaType, format))
    if (found === undefined) continue
    const [mediaType, format] = found
    const indents = format === 'json' && (range.parameters.get('pretty') === '1' || isPretty(query, request.headers))
    const encoding = indents ? 'indented' : format
    if (['as', 'v', 'g'].every((name) => !range.parameters.has(name))) {
      return observed(new Reply((await list[encoding]()).bytes, { headers: { 'Content-Type': mediaType } }), asked, list)
    }
    const version = range.parameters.get('v') ?? ''
    const type = aggregatedType(version, platform)
    const isAggregated = range.parameters.get('g') === type.group && range.parameters.get('as') === type.kind
    const document = isAggregated ? aggregated(version, range.parameters.get('profile')) : undefined
    if (document) {
      const headers = { 'Content-Type': `${mediaType};${type.parameters}`, 'Cache-Control': 'public' }
      return observed(respondWith(request, await document[encoding](), headers), asked, document)
    }
  }
  throw notAcceptable(mediaTypesOf(platform, cbor))
}

/** Lists of the core group have no apiVersion, for historical reasons. */
function apiVersions(core: readonly PublishedGroup[], serverAddress: string) {
  return {
    kind: 'APIVersions',
    versions: core.flatMap(({ versions }) => versions.map(({ version }) => version)),
    serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress }],
  }
}

function groupEntry({ name, versions }: ListedGroup) {
  const entries = versions.map(({ groupVersion, version }) => ({ groupVersion, version }))
  return { name, versions: entries, preferredVersion: entries[0] }
}

async function resourceList(
  { group, groupVersion, resources }: PublishedVersion,
  storageVersionHash: (stored: string | undefined) => Promise<string | undefined>,
) {
  const all = resources()
  const hashes = await Promise.all(all.map(({ stored }) => storageVersionHash(stored)))
  return {
    kind: 'APIResourceList',
    ...(group !== '' && { apiVersion: 'v1' }),
    groupVersion,
    resources: all.flatMap(({ rows: [own, ...subresources], singular, namespaced, short, categories }, index) => {
      const hash = hashes[index]
      return [
        {
          name: own.name,
          singularName: singular,
          namespaced,
          kind: own.kind,
          verbs: own.verbs,
          ...(short && { shortNames: short }),
          ...(categories && { categories }),
          ...(hash !== undefined && { storageVersionHash: hash }),
        },
        ...subresources.map(({ name, group, version, kind, verbs }) => ({
          name,
          singularName: '',
          namespaced,
          ...(group !== undefined && { group }),
          ...(version !== undefined && { version }),
          kind,
          verbs,
        })),
      ]
    }),
  }
}
