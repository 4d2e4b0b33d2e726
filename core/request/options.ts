/** Options of each verb: read from the query, defaulted and validated. Errors are BadRequest or Invalid. */

import { badRequest, invalid } from '../answers/status.ts'
import type { Platform } from '../platform.ts'
import { utf8Length } from '../schema/bytes.ts'
import { FieldErrors } from '../schema/field-error.ts'
import { FieldPath } from '../schema/field-path.ts'
import { validateFieldManager } from '../schema/managed-fields.ts'
import type { JsonObject } from '../schema/model.ts'
import { type FieldRequirement, parseFieldSelector } from './field-selector.ts'
import { type LabelSelector, parseLabelSelector } from './label-selector.ts'
import { flag, integer, type Read, type Reader, type Readers, readQuery, seconds, text, texts } from './query.ts'

const labelSelector: Reader<LabelSelector> = (values) => parseLabelSelector(text(values))
const fieldSelector: Reader<FieldRequirement[]> = (values) => parseFieldSelector(text(values))

/** Read in this order, so that of several errors the reference's is told: it parses selectors last. */
const listReaders = {
  watch: flag,
  allowWatchBookmarks: flag,
  resourceVersion: text,
  resourceVersionMatch: text,
  timeoutSeconds: seconds,
  limit: integer,
  continue: text,
  sendInitialEvents: flag,
  shardSelector: text,
  labelSelector,
  fieldSelector,
} satisfies Readers

/** metav1.ListOptions. Resource versions are unparsed; `limit` and `timeoutSeconds` may be any number, 0 means none. */
export type ListOptions = Read<typeof listReaders>

const writeReaders = { dryRun: texts, fieldManager: text, fieldValidation: text } satisfies Readers
const patchReaders = { ...writeReaders, force: flag } satisfies Readers

export type FieldValidation = 'Ignore' | 'Warn' | 'Strict'

/** metav1.CreateOptions and UpdateOptions. */
export interface WriteOptions {
  readonly dryRun: boolean
  /** Empty: the manager is derived from the User-Agent. */
  readonly fieldManager: string
  readonly fieldValidation: FieldValidation
  /** Options that the client set, as members of CreateOptions or UpdateOptions. */
  readonly given: JsonObject
}

/** metav1.PatchOptions. */
export interface PatchOptions extends WriteOptions {
  /** Only for apply: take over fields of other managers. */
  readonly force: boolean
}

/** Throws validation errors of options as Invalid. */
export function refuse(kind: string, errors: FieldErrors, platform: Platform): void {
  if (errors.list.length > 0) throw invalid({ group: platform.name('meta.<domain>'), kind }, '', errors.list)
}

/** Reads options of list, watch and deletecollection. `watchList`: whether the feature gate WatchList is on. */
export function readListOptions(query: URLSearchParams, platform: Platform, watchList: boolean): ListOptions {
  const options = readQuery(query, listReaders)
  const fromNow = options.watch === true && ['', '0'].includes(options.resourceVersion ?? '')
  if (watchList && fromNow && options.sendInitialEvents === undefined && (options.resourceVersionMatch ?? '') === '') {
    options.sendInitialEvents = true
    options.resourceVersionMatch = 'NotOlderThan'
  }
  const errors = new FieldErrors()
  if (options.watch === true) validateWatch(options, errors, watchList)
  else validateList(options, errors)
  refuse('ListOptions', errors, platform)
  return options
}

const matchPath = FieldPath.of('resourceVersionMatch')
const initialPath = FieldPath.of('sendInitialEvents')

function validateList(options: ListOptions, errors: FieldErrors): void {
  const match = options.resourceVersionMatch ?? ''
  if (match !== '') {
    if ((options.resourceVersion ?? '') === '')
      errors.forbidden(matchPath, 'resourceVersionMatch is forbidden unless resourceVersion is provided')
    if ((options.continue ?? '') !== '') errors.forbidden(matchPath, 'resourceVersionMatch is forbidden when continue is provided')
    if (match !== 'Exact' && match !== 'NotOlderThan') errors.notSupported(matchPath, match, ['Exact', 'NotOlderThan', ''])
    if (match === 'Exact' && options.resourceVersion === '0')
      errors.forbidden(matchPath, 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"')
  }
  if (options.sendInitialEvents !== undefined) errors.forbidden(initialPath, 'sendInitialEvents is forbidden for list')
}

function validateWatch(options: ListOptions, errors: FieldErrors, watchList: boolean): void {
  const match = options.resourceVersionMatch ?? ''
  if (options.sendInitialEvents !== undefined) {
    if (match !== 'NotOlderThan') errors.forbidden(matchPath, 'sendInitialEvents requires setting resourceVersionMatch to NotOlderThan')
    if (!watchList) errors.forbidden(initialPath, 'sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled')
  } else if (match !== '') errors.forbidden(matchPath, 'resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided')
  if (match !== '' && match !== 'NotOlderThan') errors.notSupported(matchPath, match, ['NotOlderThan'])
  if (match !== '' && (options.continue ?? '') !== '')
    errors.forbidden(matchPath, 'resourceVersionMatch is forbidden when continue is provided')
}

/** Reads options of get. */
export function readGetOptions(query: URLSearchParams): { readonly resourceVersion?: string } {
  return readQuery(query, { resourceVersion: text })
}

/** Reads options of create. */
export function readCreateOptions(query: URLSearchParams, platform: Platform): WriteOptions {
  return readWriteOptions('CreateOptions', query, platform)
}

/** Reads options of update. */
export function readUpdateOptions(query: URLSearchParams, platform: Platform): WriteOptions {
  return readWriteOptions('UpdateOptions', query, platform)
}

const noOptions: WriteOptions = { dryRun: false, fieldManager: '', fieldValidation: 'Warn', given: {} }
/** Options of queries with nothing but a field validation. */
const ofValidation = new Map(
  ['Ignore', 'Strict', 'Warn'].map((fieldValidation): [string, WriteOptions] => [fieldValidation, completed({ fieldValidation })]),
)

/** The options of most writes. */
function usualOptions(query: URLSearchParams): WriteOptions | undefined {
  if (query.size === 0) return noOptions
  return query.size === 1 ? ofValidation.get(query.get('fieldValidation') ?? '') : undefined
}

function readWriteOptions(kind: string, query: URLSearchParams, platform: Platform): WriteOptions {
  const usual = usualOptions(query)
  if (usual !== undefined) return usual
  const given = readQuery(query, writeReaders)
  const errors = new FieldErrors()
  validateWrite(given, errors)
  refuse(kind, errors, platform)
  return completed(given)
}

/** Reads options of patch; `apply`: server-side apply, which requires a field manager. */
export function readPatchOptions(query: URLSearchParams, platform: Platform, apply: boolean): PatchOptions {
  const usual = apply ? undefined : usualOptions(query)
  if (usual !== undefined) return { force: false, ...usual }
  const given = readQuery(query, patchReaders)
  const errors = new FieldErrors()
  if (apply) {
    if ((given.fieldManager ?? '') === '') errors.required(FieldPath.of('fieldManager'), 'is required for apply patch')
  } else if (given.force !== undefined) errors.forbidden(FieldPath.of('force'), 'may not be specified for non-apply patch')
  validateWrite(given, errors)
  refuse('PatchOptions', errors, platform)
  return { force: given.force ?? false, ...completed(given) }
}

function completed({ dryRun = [], fieldManager = '', fieldValidation = '' }: Read<typeof writeReaders>): WriteOptions {
  return {
    dryRun: dryRun.length > 0,
    fieldManager,
    fieldValidation: (fieldValidation === '' ? 'Warn' : fieldValidation) as FieldValidation,
    given: {
      ...(dryRun.length > 0 && { dryRun: [...dryRun] }),
      ...(fieldManager !== '' && { fieldManager }),
      ...(fieldValidation !== '' && { fieldValidation }),
    },
  }
}

const validations = ['', 'Ignore', 'Strict', 'Warn']

function validateWrite({ dryRun = [], fieldManager = '', fieldValidation = '' }: Read<typeof writeReaders>, errors: FieldErrors): void {
  validateFieldManager(fieldManager, FieldPath.of('fieldManager'), errors)
  validateDryRun(dryRun, errors)
  if (!validations.includes(fieldValidation)) errors.notSupported(FieldPath.of('fieldValidation'), fieldValidation, validations)
}

/** Validates that `dryRun` contains only `All`. */
export function validateDryRun(dryRun: readonly string[], errors: FieldErrors): void {
  if (!dryRun.every((each) => each === 'All')) errors.notSupported(FieldPath.of('dryRun'), [...dryRun], ['All'])
}

const maxManagerBytes = 128
/** As Go's unicode.IsPrint. */
const printable = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u

/** Field manager of a write: the given one, or the product in the User-Agent. */
export function managerOf(fieldManager: string, userAgent: string): string {
  if (fieldManager !== '') return fieldManager
  const slash = userAgent.indexOf('/')
  const product = slash < 0 ? userAgent : userAgent.slice(0, slash)
  if (/^[ -~]{0,128}$/.test(product)) return product
  let name = ''
  let bytes = 0
  for (const character of product) {
    if (!printable.test(character)) continue
    bytes += utf8Length(character)
    if (bytes > maxManagerBytes) break
    name += character
  }
  return name
}

export type IncludeObject = 'None' | 'Metadata' | 'Object'
const inclusions = new Map<string, IncludeObject>([
  ['', 'Metadata'],
  ['Metadata', 'Metadata'],
  ['None', 'None'],
  ['Object', 'Object'],
])

/** Content of Table rows (metav1.TableOptions). Throws BadRequest. */
export function readIncludeObject(query: URLSearchParams): IncludeObject {
  const given = query.get('includeObject') ?? ''
  const known = inclusions.get(given)
  if (known !== undefined) return known
  const errors = new FieldErrors()
  errors.invalid(FieldPath.of('includeObject'), given, "must be 'Metadata', 'Object', 'None', or empty")
  throw badRequest(`Unable to convert to Table as requested: includeObject: ${errors.list[0]?.message}`)
}
