/** Accepts names of a definition that no other definition of its group has (reference: pkg/controller/status). */
import type { Definition, Names, Observation } from './definition.ts'

/** Names taken in a group, including the definition's own. */
export interface TakenNames {
  readonly resources: ReadonlySet<string>
  readonly kinds: ReadonlySet<string>
}

export function takenNames(accepted: Iterable<Partial<Names>>): TakenNames {
  const resources = new Set<string>()
  const kinds = new Set<string>()
  for (const { plural, singular, shortNames, kind, listKind } of accepted) {
    for (const name of [plural, singular, ...(shortNames ?? [])]) if (name) resources.add(name)
    for (const name of [kind, listKind]) if (name) kinds.add(name)
  }
  return { resources, kinds }
}

const inUse = (name: string) => `${JSON.stringify(name)} is already in use`

export interface Decision {
  readonly names: Partial<Names>
  readonly accepted: Observation
}

/**
 * Accepts requested names that are free; for others the previous name stays and the condition says why. Of several conflicts it reports the
 * last.
 */
export function decideNames({ spec, status }: Definition, { resources, kinds }: TakenNames): Decision {
  const wanted = spec.names
  const had: Partial<Names> = status?.acceptedNames ?? {}
  const names: { -readonly [name in keyof Names]?: Names[name] } = { ...had }
  let conflict: { readonly reason: string; readonly message: string } | undefined

  function decide(name: 'plural' | 'singular' | 'kind' | 'listKind', taken: ReadonlySet<string>, reason: string): void {
    const value = wanted[name] ?? ''
    if (value !== (had[name] ?? '') && taken.has(value)) conflict = { reason, message: inUse(value) }
    else names[name] = value
  }

  decide('plural', resources, 'PluralConflict')
  decide('singular', resources, 'SingularConflict')
  const own = new Set(had.shortNames)
  const clashes = (wanted.shortNames ?? []).filter((name) => !own.has(name) && resources.has(name)).map(inUse)
  if (clashes.length > 0) {
    const all = [...new Set(clashes)]
    conflict = { reason: 'ShortNamesConflict', message: all.length === 1 ? (all[0] as string) : `[${all.join(', ')}]` }
  } else if (wanted.shortNames) names.shortNames = wanted.shortNames
  else delete names.shortNames
  decide('kind', kinds, 'KindConflict')
  decide('listKind', kinds, 'ListKindConflict')
  if (wanted.categories) names.categories = wanted.categories
  else delete names.categories

  const outcome = conflict ? { status: 'False', ...conflict } : { status: 'True', reason: 'NoConflicts', message: 'no conflicts found' }
  return { names, accepted: { type: 'NamesAccepted', ...outcome } }
}
