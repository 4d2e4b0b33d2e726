import type { Platform } from '../platform.ts'
import { badRequest } from '../respond/status.ts'
import { FieldErrors } from '../schema/field-error.ts'
import { FieldPath } from '../schema/field-path.ts'
import type { Json, JsonObject } from '../schema/model.ts'
import { refuse, validateDryRun } from './options.ts'
import { flag, integer, type Read, type Readers, readQuery, text, texts } from './query.ts'

export type PropagationPolicy = 'Foreground' | 'Background' | 'Orphan'

/** metav1.DeleteOptions. */
export interface DeleteOptions {
  readonly dryRun: boolean
  readonly gracePeriodSeconds?: number
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string }
  readonly propagationPolicy?: PropagationPolicy
  /** Deprecated form of the propagation policy: true is Orphan. Never set together with it. */
  readonly orphanDependents?: boolean
  /** Delete the object only if its stored value is unreadable (KEP-3926). */
  readonly ignoreStoreReadErrorWithClusterBreakingPotential?: boolean
}

/** The options as members of a DeleteOptions object. */
export function deleteOptionsObject({ dryRun, preconditions, ...others }: DeleteOptions): JsonObject {
  return { ...others, ...(preconditions && { preconditions: { ...preconditions } }), ...(dryRun && { dryRun: ['All'] }) }
}

const queryReaders = {
  dryRun: texts,
  gracePeriodSeconds: integer,
  orphanDependents: flag,
  propagationPolicy: text,
  uid: text,
  resourceVersion: text,
  ignoreStoreReadErrorWithClusterBreakingPotential: flag,
} satisfies Readers

type Given = Read<typeof queryReaders>

/** Reads DeleteOptions from the query, for requests without a body. */
export function readDeleteOptions(query: URLSearchParams, platform: Platform): DeleteOptions {
  const given = readQuery(query, queryReaders)
  if (given.uid === '') delete given.uid
  if (given.resourceVersion === '') delete given.resourceVersion
  return checked(given, platform)
}

/** Reads DeleteOptions from a decoded body, which replaces the query. Throws BadRequest for other kinds and wrong types. */
export function deleteOptionsOf(body: Json, platform: Platform): DeleteOptions {
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw badRequest(`json: cannot unmarshal ${kindOf(body)} into Go value of type v1.DeleteOptions`)
  if (member(body, 'kind', 'string') !== undefined && body['kind'] !== '' && body['kind'] !== 'DeleteOptions')
    throw badRequest('decoded object cannot be converted to DeleteOptions')
  const conditions = member<JsonObject>(body, 'preconditions', 'object') ?? {}
  const given: { [name: string]: unknown } = {
    dryRun: member<string[]>(body, 'dryRun', 'array'),
    gracePeriodSeconds: member(body, 'gracePeriodSeconds', 'number'),
    orphanDependents: member(body, 'orphanDependents', 'bool'),
    propagationPolicy: member(body, 'propagationPolicy', 'string'),
    ignoreStoreReadErrorWithClusterBreakingPotential: member(body, 'ignoreStoreReadErrorWithClusterBreakingPotential', 'bool'),
    uid: member(conditions, 'uid', 'string'),
    resourceVersion: member(conditions, 'resourceVersion', 'string'),
  }
  for (const [name, value] of Object.entries(given)) if (value === undefined) delete given[name]
  return checked(given as Given, platform)
}

function kindOf(value: Json | undefined): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  if (typeof value === 'bigint') return 'number'
  return typeof value === 'boolean' ? 'bool' : typeof value
}

/** A member of that type; null counts as absent. */
function member<T extends Json>(object: JsonObject, name: string, type: string): T | undefined {
  const value = Object.hasOwn(object, name) ? object[name] : undefined
  if (value === undefined || value === null) return undefined
  const fits = type === 'number' ? typeof value === 'bigint' || Number.isInteger(value) : kindOf(value) === type
  if (fits && (type !== 'array' || (value as Json[]).every((item) => typeof item === 'string'))) return value as T
  throw badRequest(`json: cannot unmarshal ${kindOf(value)} into Go struct field DeleteOptions.${name}`)
}

const policies: readonly string[] = ['Foreground', 'Background', 'Orphan']

function checked({ dryRun = [], uid, resourceVersion, ...given }: Given, platform: Platform): DeleteOptions {
  const errors = new FieldErrors()
  const path = FieldPath.of('propagationPolicy')
  const { propagationPolicy: policy, ...rest } = given
  if (policy !== undefined && given.orphanDependents !== undefined)
    errors.invalid(path, policy, 'orphanDependents and deletionPropagation cannot be both set')
  if (policy !== undefined && !policies.includes(policy)) errors.notSupported(path, policy, [...policies, 'nil'])
  validateDryRun(dryRun, errors)
  refuse('DeleteOptions', errors, platform)
  const preconditions = { ...(uid !== undefined && { uid }), ...(resourceVersion !== undefined && { resourceVersion }) }
  return {
    dryRun: dryRun.length > 0,
    ...rest,
    ...(policy !== undefined && { propagationPolicy: policy as PropagationPolicy }),
    ...(Object.keys(preconditions).length > 0 && { preconditions }),
  }
}
