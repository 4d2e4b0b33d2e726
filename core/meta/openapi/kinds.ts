import type { Platform } from '../../platform.ts'
import { Scale } from '../../resources/autoscaling/v1/scale.ts'
import type { ResourceDefinition } from '../../resources/definition.ts'
import type { ModelNames } from './model-names.ts'

export interface GroupVersionKind {
  readonly group: string
  readonly version: string
  readonly kind: string
}

/** Kinds by the name of their model. */
export type Kinds = ReadonlyMap<string, readonly GroupVersionKind[]>

/** Group versions that the reference knows, served or not; `<domain>` is a placeholder. */
const knownVersions: { readonly [group: string]: readonly string[] } = {
  '': ['v1'],
  'admission.<domain>': ['v1', 'v1beta1'],
  'admissionregistration.<domain>': ['v1', 'v1alpha1', 'v1beta1'],
  'apiextensions.<domain>': ['v1', 'v1beta1'],
  'apiregistration.<domain>': ['v1', 'v1beta1'],
  apps: ['v1', 'v1beta1', 'v1beta2'],
  'authentication.<domain>': ['v1', 'v1alpha1', 'v1beta1'],
  'authorization.<domain>': ['v1', 'v1beta1'],
  autoscaling: ['v1', 'v2'],
  batch: ['v1', 'v1beta1'],
  'certificates.<domain>': ['v1', 'v1alpha1', 'v1beta1'],
  'coordination.<domain>': ['v1', 'v1alpha2', 'v1beta1'],
  'discovery.<domain>': ['v1', 'v1beta1'],
  'events.<domain>': ['v1', 'v1beta1'],
  extensions: ['v1beta1'],
  'flowcontrol.apiserver.<domain>': ['v1', 'v1beta1', 'v1beta2', 'v1beta3'],
  'imagepolicy.<domain>': ['v1alpha1'],
  'internal.apiserver.<domain>': ['v1alpha1'],
  'networking.<domain>': ['v1', 'v1beta1'],
  'node.<domain>': ['v1', 'v1alpha1', 'v1beta1'],
  policy: ['v1', 'v1beta1'],
  'rbac.authorization.<domain>': ['v1', 'v1alpha1', 'v1beta1'],
  'resource.<domain>': ['v1', 'v1alpha3', 'v1beta1', 'v1beta2'],
  'scheduling.<domain>': ['v1', 'v1alpha2', 'v1beta1'],
  'storage.<domain>': ['v1', 'v1alpha1', 'v1beta1'],
  'storagemigration.<domain>': ['v1beta1'],
}

/** The group versions in which the reference registers DeleteOptions and WatchEvent. */
export const registeredVersions = (platform: Platform): readonly Pick<GroupVersionKind, 'group' | 'version'>[] =>
  Object.entries(knownVersions).flatMap(([group, versions]) => versions.map((version) => ({ group: platform.name(group), version })))

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
