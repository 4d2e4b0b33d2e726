import type { Platform } from '../platform.ts'
import { FieldErrors } from '../schema/field-error.ts'
import { FieldPath } from '../schema/field-path.ts'
import type { JsonObject } from '../schema/model.ts'
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

/** Reads decoded DeleteOptions. Throws Invalid. */
export function deleteOptionsOf(body: JsonObject, platform: Platform): DeleteOptions {
  const { preconditions, dryRun, gracePeriodSeconds, orphanDependents, propagationPolicy, ...others } = body
  const { ignoreStoreReadErrorWithClusterBreakingPotential } = others
  const options = { dryRun, gracePeriodSeconds, orphanDependents, propagationPolicy, ignoreStoreReadErrorWithClusterBreakingPotential }
  const given = { ...options, ...(preconditions as JsonObject | undefined) }
  return checked(Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as Given, platform)
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
