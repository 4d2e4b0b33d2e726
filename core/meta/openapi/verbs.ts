import { mediaTypesOf, streamTypesOf } from '../../answers/encodings/index.ts'
import type { Platform } from '../../platform.ts'
import { CreateOptions, DeleteOptions, GetOptions, ListOptions, PatchOptions, UpdateOptions } from '../../resources/meta/index.ts'
import type { Message } from '../../schema/model.ts'
import type { Method } from './operations.ts'

/** The OpenAPI operation of a discovery verb. */
export interface VerbRow {
  readonly verb: string
  readonly method: Method
  /** Operation id: the first word, group and version, the second word, the kind. */
  readonly id: readonly [prefix: string, infix: string]
  /** Value of `x-kubernetes-action`. */
  readonly action: string
  readonly description: string
  /** Kinds whose fields are query parameters. */
  readonly options: readonly Message[]
  /** Fields of the options that are no query parameters. */
  readonly without?: readonly string[]
  readonly body?: 'object' | 'patch' | 'delete' | undefined
  readonly answer: 'object' | 'list' | 'status' | 'deleted'
  readonly codes: readonly number[]
}

/** In the order of operations within a path. */
const verbRows: readonly VerbRow[] = [
  {
    verb: 'list',
    method: 'get',
    id: ['list', ''],
    action: 'list',
    description: 'list or watch objects of kind',
    options: [ListOptions],
    answer: 'list',
    codes: [200],
  },
  {
    verb: 'create',
    method: 'post',
    id: ['create', ''],
    action: 'post',
    description: 'create an object of kind',
    options: [CreateOptions],
    body: 'object',
    answer: 'object',
    codes: [200, 201, 202],
  },
  {
    verb: 'deletecollection',
    method: 'delete',
    id: ['delete', 'Collection'],
    action: 'deletecollection',
    description: 'delete the listed objects of kind',
    options: [ListOptions, DeleteOptions],
    without: ['watch', 'allowWatchBookmarks'],
    body: 'delete',
    answer: 'status',
    codes: [200],
  },
  {
    verb: 'get',
    method: 'get',
    id: ['read', ''],
    action: 'get',
    description: 'read an object of kind',
    options: [],
    answer: 'object',
    codes: [200],
  },
  {
    verb: 'update',
    method: 'put',
    id: ['replace', ''],
    action: 'put',
    description: 'replace an object of kind',
    options: [UpdateOptions],
    body: 'object',
    answer: 'object',
    codes: [200, 201],
  },
  {
    verb: 'patch',
    method: 'patch',
    id: ['patch', ''],
    action: 'patch',
    description: 'change parts of an object of kind',
    options: [PatchOptions],
    body: 'patch',
    answer: 'object',
    codes: [200, 201],
  },
  {
    verb: 'delete',
    method: 'delete',
    id: ['delete', ''],
    action: 'delete',
    description: 'delete an object of kind',
    options: [DeleteOptions],
    body: 'delete',
    answer: 'deleted',
    codes: [200, 202],
  },
]

/** Operations of the deprecated paths below `/watch`. */
export const watchVerbs = {
  collection: { infix: 'List', action: 'watchlist', description: 'watch objects of kind' },
  item: { infix: '', action: 'watch', description: 'watch one object of kind' },
} as const

/** What custom resources publish differently, in the reference as here. */
const customVerbs: { readonly [verb: string]: Partial<VerbRow> } = {
  get: { options: [GetOptions] },
  deletecollection: { options: [ListOptions], without: [], body: undefined },
  patch: { codes: [200] },
}

/** Operations and media types of a resource. */
export interface ResourceOperations {
  /** In the order of operations within a path. */
  readonly rows: readonly VerbRow[]
  /** Media types of patches. */
  readonly patches: readonly string[]
  /** Media types of other bodies. */
  readonly bodies: readonly string[]
  /** Media types of responses. */
  readonly types: readonly string[]
  /** Additional media types of lists and watches. */
  readonly streams: readonly string[]
}

export const anyType: readonly string[] = ['*/*']
const json = 'application/json'
const yaml = 'application/yaml'

/** @param cbor whether CBOR is served (KEP-4222). */
export const builtInOperations = (platform: Platform, cbor = false): ResourceOperations => ({
  rows: verbRows,
  patches: [
    'application/json-patch+json',
    'application/merge-patch+json',
    'application/strategic-merge-patch+json',
    'application/apply-patch+yaml',
    ...(cbor ? ['application/apply-patch+cbor'] : []),
  ],
  bodies: anyType,
  types: mediaTypesOf(platform, cbor),
  streams: streamTypesOf(platform, cbor),
})

export const customOperations: ResourceOperations = {
  rows: verbRows.map((row) => ({ ...row, ...customVerbs[row.verb] })),
  patches: ['application/json-patch+json', 'application/merge-patch+json', 'application/apply-patch+yaml'],
  bodies: [json, yaml],
  types: [json, yaml],
  streams: [],
}
