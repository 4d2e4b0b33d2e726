import type { Platform } from '../../platform.ts'
import { Scale } from '../../resources/autoscaling/v1/scale.ts'
import type { ResourceDefinition } from '../../resources/definition.ts'
import { registeredVersions } from '../../resources/scheme.ts'
import type { ModelNames } from './model-names.ts'

export interface GroupVersionKind {
  readonly group: string
  readonly version: string
  readonly kind: string
}

/** Kinds by the name of their model. */
export type Kinds = ReadonlyMap<string, readonly GroupVersionKind[]>

/** Groups that only servers register. */
const serverGroups = ['admission', 'apiextensions', 'apiregistration', 'imagepolicy']

/** Those that client libraries register, which custom resources list. */
export function clientVersions(platform: Platform): ReturnType<typeof registeredVersions> {
  const own = new Set(serverGroups.map((group) => platform.name(`${group}.<domain>`)))
  return registeredVersions(platform).filter(({ group }) => !own.has(group))
}

/** Machinery kinds that only the core version lists. */
const machineryKinds = ['APIGroup', 'APIGroupList', 'APIResourceList', 'APIVersions', 'Status']
/** Machinery kinds that every group version lists. */
const everywhere = ['DeleteOptions', 'WatchEvent']

/** The kinds of each model: objects and lists of resources, bodies of subresources, and the shared kinds of the listed versions. */
export function registeredKinds(
  definitions: readonly ResourceDefinition[],
  versions: readonly Pick<GroupVersionKind, 'group' | 'version'>[],
  names: ModelNames,
): Kinds {
  const kinds = new Map<string, GroupVersionKind[]>()
  const add = (name: string | undefined, kind: GroupVersionKind) => {
    if (name === undefined) return
    const known = kinds.get(name)
    if (!known) kinds.set(name, [kind])
    else if (!known.some(({ group, version }) => group === kind.group && version === kind.version)) known.push(kind)
  }
  for (const definition of definitions) {
    const { group, version, kind, listKind, scale, subresources } = definition
    add(names.object(definition), { group, version, kind })
    add(names.list(definition), { group, version, kind: listKind })
    if (scale) add(names.of(Scale), { group: 'autoscaling', version: 'v1', kind: 'Scale' })
    for (const own of subresources) {
      add(names.of(own.schema), { group: own.group ?? group, version: own.version ?? version, kind: own.kind })
    }
  }
  for (const kind of machineryKinds) add(names.machinery(`apis.meta.v1.${kind}`), { group: '', version: 'v1', kind })
  for (const kind of everywhere) {
    for (const { group, version } of versions) add(names.machinery(`apis.meta.v1.${kind}`), { group, version, kind })
  }
  for (const known of kinds.values()) known.sort(byGroupAndVersion)
  return kinds
}

const byGroupAndVersion = (a: GroupVersionKind, b: GroupVersionKind) =>
  compare(a.group, b.group) || compare(a.version, b.version) || compare(a.kind, b.kind)
const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)
