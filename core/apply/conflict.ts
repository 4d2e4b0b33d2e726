import { ApiError } from '../answers/status.ts'
import { quote } from '../schema/go/quote.ts'
import { shorten } from '../schema/go/shorten.ts'
import { shown } from './element.ts'
import { eachPath, type FieldSet } from './field-set.ts'
import { type Identity, identityOf } from './managers.ts'

/** Fields that an apply would take from one other manager. Conflicts are ordered by manager identity. */
export interface Conflict {
  readonly manager: Identity
  readonly fields: FieldSet
}

/** An apply without force changes fields that other managers own. */
export class ApplyConflicts extends Error {
  override readonly name = 'ApplyConflicts'
  readonly conflicts: readonly Conflict[]

  constructor(conflicts: readonly Conflict[]) {
    super('apply conflicts')
    this.conflicts = [...conflicts].sort((a, b) => (identityOf(a.manager) < identityOf(b.manager) ? -1 : 1))
  }
}

function describe({ manager, operation, apiVersion, subresource }: Identity): string {
  const name = subresource === '' ? quote(manager) : `${quote(manager)} with subresource ${quote(subresource)}`
  return operation === 'Update' ? `${name} using ${apiVersion}` : name
}

/** Limits of an error: paths per manager, and characters per path. */
const maxPaths = 1000
const maxPath = 1024

/** The first paths, and the number of all. */
function pathsOf(fields: FieldSet): { paths: string[]; count: number } {
  const paths: string[] = []
  let count = 0
  eachPath(fields, (path) => {
    if (count++ < maxPaths) paths.push(shorten(path.map(shown).join(''), maxPath))
  })
  return { paths, count }
}

/** The 409 that clients know, with one cause per field. */
export function conflictError({ conflicts }: ApplyConflicts): ApiError {
  const found = conflicts.map(({ manager, fields }) => ({ who: describe(manager), ...pathsOf(fields) }))
  const causes = found.flatMap(({ who, paths }) =>
    paths.map((field) => ({ reason: 'FieldManagerConflict', message: `conflict with ${who}`, field })),
  )
  const count = found.reduce((sum, each) => sum + each.count, 0)
  const text =
    count === 1
      ? `Apply failed with 1 conflict: ${causes[0]?.message}: ${causes[0]?.field}`
      : `Apply failed with ${count} conflicts: ${found
          .flatMap(({ who, paths }) => [`conflicts with ${who}:`, ...paths.map((path) => `- ${path}`)])
          .join('\n')}`
  return new ApiError('Conflict', text, { causes })
}
