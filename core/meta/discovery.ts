import type { Platform } from '../platform.ts'
import { covers, parseAccept } from '../request/accept.ts'
import { isPretty } from '../request/negotiate.ts'
import { checkAccepts } from '../request/route-media.ts'
import { APIGroupDiscoveryList } from '../resources/apidiscovery/apigroupdiscovery.ts'
import type { ResourceDefinition } from '../resources/definition.ts'
import { APIGroup, APIGroupList, APIResourceList, APIVersions } from '../resources/meta/discovery.ts'
import { encode, type Format } from '../respond/encode.ts'
import { Reply } from '../respond/reply.ts'
import { notAcceptable, notAllowed } from '../respond/status.ts'
import type { JsonObject, Message } from '../schema/model.ts'
import { aggregatedList, aggregatedType } from './aggregated-discovery.ts'
import { type BuildDocument, lazyDocument, lazyForm, respondWith } from './document.ts'
import type { FixedRequest } from './fixed-request.ts'
import { resourceRows } from './resource-rows.ts'
import { type DefinitionSource, groupServed, perRevision, type ServedGroup, type ServedVersion } from './served.ts'
import { createStorageVersionHash } from './storage-version-hash.ts'

export interface DiscoveryOptions {
  readonly served: DefinitionSource
  readonly platform: Platform
  /** Host and port in the answer of `/api`. */
  readonly serverAddress: string
  /** Whether resources have a storage version hash (gate StorageVersionHash). */
  readonly hashes: boolean
  /** Versions of the aggregated list, such as `v2`. */
  readonly aggregatedVersions: readonly string[]
}

export interface Discovery {
  /**
   * Answers `/api`, `/apis`, `/apis/GROUP` and the paths of group versions, with or without trailing slash.
   * Undefined for other paths. Throws MethodNotAllowed, rejects with NotAcceptable.
   */
  respond(request: FixedRequest): Promise<Response> | undefined
}

/** The list of a path. */
interface List {
  readonly forms: Forms
  /** Whether only GET is served, as by web services of the reference; other lists serve all methods. */
  readonly service: boolean
}

/** A list in each format, built on demand. */
type Forms = { readonly [form in Format | 'indented']: BuildDocument }

function inAllForms(schema: Message, build: () => unknown): Forms {
  const json = lazyDocument(build)
  // Some lists have no apiVersion; the protobuf envelope still needs one.
  const as = (format: Format, pretty = false) =>
    lazyForm(json, (value: JsonObject) => {
      const typed = (format === 'protobuf' ? { apiVersion: 'v1', ...value } : value) as JsonObject & { kind: string; apiVersion: string }
      return encode({ value: typed, schema }, format, pretty) as Uint8Array<ArrayBuffer>
    })
  return { json, indented: as('json', true), yaml: as('yaml'), protobuf: as('protobuf') }
}

/** Discovery documents: the list of each path, and the aggregated list (KEP-3352) for clients that request it. */
export function createDiscovery({ served, platform, serverAddress, hashes, aggregatedVersions }: DiscoveryOptions): Discovery {
  const objectTypes = ['application/json', 'application/yaml', platform.protobufType]
  const storageVersionHash = hashes ? createStorageVersionHash() : async () => undefined
  const documents = perRevision(served, (definitions) => {
    const groups = groupServed(definitions, platform)
    const core = groups.filter(({ name }) => name === '')
    const named = groups.filter(({ name }) => name !== '')
    const lists = new Map<string, List>()
    const add = (path: string, service: boolean, schema: Message, build: () => unknown) =>
      lists.set(path, { service, forms: inAllForms(schema, build) })
    add('/api', true, APIVersions, () => apiVersions(core, serverAddress))
    add('/apis', false, APIGroupList, () => ({ kind: 'APIGroupList', apiVersion: 'v1', groups: named.map(groupEntry) }))
    for (const group of groups) {
      if (group.name !== '')
        add(`/apis/${group.name}`, false, APIGroup, () => ({ kind: 'APIGroup', apiVersion: 'v1', ...groupEntry(group) }))
      for (const version of group.versions) {
        const service = version.definitions.some(({ routing }) => routing === 'path')
        add(version.path, service, APIResourceList, () => resourceList(version, storageVersionHash))
      }
    }
    const aggregated = new Map<string, Forms>()
    for (const version of aggregatedVersions) {
      aggregated.set(
        `/api ${version}`,
        inAllForms(APIGroupDiscoveryList, () => aggregatedList(core, version, platform)),
      )
      aggregated.set(
        `/apis ${version}`,
        inAllForms(APIGroupDiscoveryList, () => aggregatedList(named, version, platform)),
      )
    }
    return { lists, aggregated }
  })

  return {
    respond(asked) {
      const path = asked.path.endsWith('/') ? asked.path.slice(0, -1) : asked.path
      const { lists, aggregated } = documents()
      const list = lists.get(path)
      if (!list) return undefined
      if (list.service) {
        if (asked.request.method !== 'GET') throw notAllowed()
        checkAccepts(asked.request.headers.get('accept'), objectTypes, platform.protobufTypes)
      }
      return negotiate(asked, list.forms, (version) => aggregated.get(`${path} ${version}`), platform)
    },
  }
}

async function negotiate(
  { request, query }: FixedRequest,
  list: Forms,
  aggregated: (version: string) => Forms | undefined,
  platform: Platform,
): Promise<Response> {
  const types: readonly (readonly [mediaType: string, format: Format])[] = [
    ['application/json', 'json'],
    ['application/yaml', 'yaml'],
    ...platform.protobufTypes.map((mediaType) => [mediaType, 'protobuf'] as const),
  ]
  for (const range of parseAccept(request.headers.get('Accept'))) {
    const found = types.find(([mediaType]) => covers(range, mediaType))
    if (found === undefined) continue
    const [mediaType, format] = found
    const indents = format === 'json' && (range.parameters.get('pretty') === '1' || isPretty(query, request.headers))
    const form = indents ? 'indented' : format
    if (!range.parameters.has('as')) {
      return new Reply((await list[form]()).bytes, { headers: { 'Content-Type': mediaType } })
    }
    const version = range.parameters.get('v') ?? ''
    const type = aggregatedType(version, platform)
    const document = aggregated(version)
    if (document && range.parameters.get('g') === type.group && range.parameters.get('as') === type.kind) {
      const headers = { 'Content-Type': `${mediaType};${type.parameters}`, 'Cache-Control': 'public' }
      return respondWith(request, await document[form](), headers)
    }
  }
  throw notAcceptable(['application/json', 'application/yaml', platform.protobufType])
}

/** Lists of the core group have no apiVersion, for historical reasons. */
function apiVersions(core: readonly ServedGroup[], serverAddress: string) {
  return {
    kind: 'APIVersions',
    versions: core.flatMap(({ versions }) => versions.map(({ version }) => version)),
    serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress }],
  }
}

function groupEntry({ name, versions }: ServedGroup) {
  const entries = versions.map(({ groupVersion, version }) => ({ groupVersion, version }))
  return { name, versions: entries, preferredVersion: entries[0] }
}

async function resourceList(
  { group, groupVersion, definitions }: ServedVersion,
  storageVersionHash: (definition: ResourceDefinition) => Promise<string | undefined>,
) {
  const hashes = await Promise.all(definitions.map(storageVersionHash))
  return {
    kind: 'APIResourceList',
    ...(group !== '' && { apiVersion: 'v1' }),
    groupVersion,
    resources: definitions.flatMap((definition, index) => {
      const { namespaced, names } = definition
      const [own, ...subresources] = resourceRows(definition)
      const hash = hashes[index]
      return [
        {
          name: own.name,
          singularName: names.singular,
          namespaced,
          kind: own.kind,
          verbs: own.verbs,
          ...(names.short && { shortNames: names.short }),
          ...(names.categories && { categories: names.categories }),
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
