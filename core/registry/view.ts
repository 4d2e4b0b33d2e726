import { type FieldSet, fieldSet, noFields } from '../apply/field-set.ts'
import type { ApiObject, ResourceDefinition, Side } from '../resources/definition.ts'
import { keptMetadata } from '../resources/side.ts'
import type { HookContext } from '../schema/model.ts'

/** One side of an object that is written by itself: the main resource, its status, its scale. */
export interface View {
  /** The parent after a write through this view; `incoming` is what `read` would show of it. May change `incoming`. */
  write(existing: ApiObject, incoming: ApiObject, context: HookContext): ApiObject
  /** Fields that a write through this view leaves as they are, so that nobody gets to own them by it; absent: none. */
  readonly reset?: FieldSet
  /** Status and the like: what the view does not show is neither prepared nor validated again. */
  readonly partial: boolean
  /** A part with rules of its own, which hold instead of those of the main resource or status. */
  readonly side?: Side
}

/** The main resource: its status stays as it is. */
export function mainView(definition: ResourceDefinition): View {
  return {
    partial: false,
    reset: definition.status ? fieldSet(['status']) : noFields,
    write(existing, incoming) {
      if (!definition.status) return incoming
      if (existing['status'] === undefined) delete incoming['status']
      else incoming['status'] = existing['status']
      return incoming
    },
  }
}

/** A part of the object that a subresource of its kind stands for. */
export const sideView = (side: Side): View => ({
  partial: true,
  side,
  write: side.write,
  ...(side.reset && { reset: fieldSet(...side.reset) }),
})

const identity = ['ownerReferences', 'finalizers', 'deletionTimestamp', 'deletionGracePeriodSeconds'] as const
const withLabels = [...identity, 'labels'] as const

/**
 * `/status`: all but status and metadata stays as it is; of metadata, what decides about life and identity does too, or all of it where the
 * kind says so.
 */
export function statusView({ statusKeepsMetadata, statusKeepsLabels }: ResourceDefinition): View {
  const fields = statusKeepsLabels ? withLabels : identity
  const kept = statusKeepsMetadata ? [['metadata']] : fields.map((field) => ['metadata', field])
  return {
    partial: true,
    reset: fieldSet(['spec'], ...kept),
    write(existing, incoming) {
      const metadata = statusKeepsMetadata ? keptMetadata(existing, incoming) : withFields(existing, incoming, fields)
      const { status: _status, ...rest } = existing
      return { ...rest, metadata, ...(incoming['status'] !== undefined && { status: incoming['status'] }) } as ApiObject
    },
  }
}

function withFields(existing: ApiObject, incoming: ApiObject, fields: readonly (typeof withLabels)[number][]): ApiObject['metadata'] {
  const metadata = { ...incoming.metadata }
  for (const field of fields) {
    if (existing.metadata[field] === undefined) delete metadata[field]
    else Object.assign(metadata, { [field]: existing.metadata[field] })
  }
  return metadata
}
