import { type FieldSet, fieldSet, noFields } from '../../apply/field-set.ts'
import type { ApiObject, ObjectMeta, ResourceDefinition, SubresourceStrategy } from '../../resources/definition.ts'
import { keptMetadata } from '../../resources/kept-metadata.ts'
import { hasGatedDefaults } from '../../schema/gated.ts'
import type { HookContext } from '../../schema/model.ts'

/** A part of an object that is written separately: the main resource, its status, its scale. */
export interface View {
  /** The object after a write through this view; `incoming` has the form that `read` returns, and may be changed. */
  write(existing: ApiObject, incoming: ApiObject, context: HookContext): ApiObject
  /** Fields that a write through this view doesn't change, so that it can't own them (resetFields); absent: none. */
  readonly reset?: FieldSet
  /** Status and the like: the rest of the object is neither prepared nor validated. */
  readonly partial: boolean
  /** Whether a write through this view leaves a member of the object as it is stored, and no default changes it. Absent: it may not. */
  keeps?(name: string): boolean
  /** A write needs no resourceVersion, even if updates of the kind do: scale. */
  readonly needsNoVersion?: true
  /** Set for subresources other than status and scale. */
  readonly strategy?: SubresourceStrategy
}

/** The main resource; a write keeps the status. */
export function mainView(definition: ResourceDefinition): View {
  return {
    partial: false,
    reset:
      definition.status || definition.reset ? fieldSet(...(definition.status ? [['status']] : []), ...(definition.reset ?? [])) : noFields,
    keeps: (name) => name === 'status' && definition.status,
    write(existing, incoming) {
      if (!definition.status) return incoming
      if (existing['status'] === undefined) delete incoming['status']
      else incoming['status'] = existing['status']
      return incoming
    },
  }
}

/** The view of a subresource other than status and scale. */
export const strategyView = (strategy: SubresourceStrategy): View => ({
  partial: true,
  strategy,
  write: strategy.write,
  ...(strategy.reset && { reset: fieldSet(...strategy.reset) }),
})

/**
 * `/status`: keeps everything except status and metadata, and of metadata what the kind says. No update changes identity and deletion.
 */
export function statusView({ statusKeeps = [], schema }: ResourceDefinition): View {
  const kept = statusKeeps === 'metadata' ? [['metadata']] : statusKeeps.map((field) => ['metadata', field])
  return {
    partial: true,
    reset: fieldSet(['spec'], ...kept),
    keeps: (name) => name !== 'status' && name !== 'metadata' && !hasGatedDefaults(schema),
    write(existing, incoming) {
      const metadata = statusKeeps === 'metadata' ? keptMetadata(existing, incoming) : withFields(existing, incoming, statusKeeps)
      const { status: _status, ...rest } = existing
      return { ...rest, metadata, ...(incoming['status'] !== undefined && { status: incoming['status'] }) } as ApiObject
    },
  }
}

function withFields(existing: ApiObject, incoming: ApiObject, fields: readonly (keyof ObjectMeta)[]): ApiObject['metadata'] {
  const metadata = { ...incoming.metadata }
  for (const field of fields) {
    if (existing.metadata[field] === undefined) delete metadata[field]
    else Object.assign(metadata, { [field]: existing.metadata[field] })
  }
  return metadata
}
