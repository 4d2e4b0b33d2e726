/** The kinds that the reference's decoders know. Errors about other kinds name its registries of kinds (schemes) and Go packages. */
import type { Platform } from '../platform.ts'
import { DecodeError, decode } from '../schema/decode.ts'
import type { Json, Message } from '../schema/model.ts'
import { type GroupVersion, groupVersions } from './group-versions.ts'

interface GroupVersionKind {
  readonly group: string
  readonly version: string
  readonly kind: string
}

/** Where the reference creates the scheme of a group; all other groups share one. */
const ownSchemes: { readonly [group: string]: string } = {
  'apiextensions.<domain>': 'pkg/apiserver/apiserver.go:55',
  'apiregistration.<domain>': 'pkg/apiserver/scheme/scheme.go:28',
}
const sharedScheme = 'pkg/api/legacyscheme/scheme.go:30'

/** Kinds of every group version. */
const optionKinds = ['CreateOptions', 'DeleteOptions', 'GetOptions', 'ListOptions', 'PatchOptions', 'UpdateOptions', 'WatchEvent']
/** Kinds of `v1` without resources. */
const metaKinds = ['APIGroup', 'APIGroupList', 'APIResourceList', 'APIVersions', 'List', 'Status']

/** Groups that have no internal Go types of their own. */
const internalPackages: { readonly [group: string]: string } = { '': 'core', 'events.<domain>': 'core' }

/** Versions that the reference knows but does not serve any more, with kinds of the group's current version. */
const formerVersions: { readonly [group: string]: readonly string[] } = {
  'admission.<domain>': ['v1beta1'],
  'apidiscovery.<domain>': ['v2beta1'],
  'apiextensions.<domain>': ['v1beta1'],
  'apiregistration.<domain>': ['v1beta1'],
  apps: ['v1beta1', 'v1beta2'],
  'authentication.<domain>': ['v1alpha1', 'v1beta1'],
  'authorization.<domain>': ['v1beta1'],
  batch: ['v1beta1'],
  'discovery.<domain>': ['v1beta1'],
  'events.<domain>': ['v1beta1'],
  extensions: ['v1beta1'],
  'flowcontrol.apiserver.<domain>': ['v1beta1', 'v1beta2', 'v1beta3'],
  'node.<domain>': ['v1alpha1', 'v1beta1'],
  policy: ['v1beta1'],
  'rbac.authorization.<domain>': ['v1alpha1', 'v1beta1'],
  'scheduling.<domain>': ['v1beta1'],
  'storage.<domain>': ['v1alpha1'],
}

/** Groups in which the reference registers none of the options. */
const withoutOptions = ['apidiscovery.<domain>', 'meta.<domain>']

/** The group versions in which the reference registers options and events of watches, served or not. */
export function registeredVersions(platform: Platform): readonly Pick<GroupVersion, 'group' | 'version'>[] {
  const former = Object.entries(formerVersions).flatMap(([group, versions]) => versions.map((version) => ({ group, version })))
  return [...groupVersions, ...former]
    .filter(({ group }) => !withoutOptions.includes(group))
    .map(({ group, version }) => ({ group: platform.name(group), version }))
}

const schemeOf = (group: string) => ownSchemes[group] ?? sharedScheme

function rowOf(group: string, version: string, platform: Platform): GroupVersion | undefined {
  const rows = groupVersions.filter((row) => platform.name(row.group) === group)
  return rows.find((row) => row.version === version) ?? rows.find((row) => formerVersions[row.group]?.includes(version))
}

/** Go package of the types that all versions of a group are converted to. */
const packageOf = (row: GroupVersion | undefined) => internalPackages[row?.group ?? ''] ?? row?.package.split('.').at(-2)

const ownMessage = ({ messages }: GroupVersion, kind: string) => messages.find(({ name, typeMeta }) => typeMeta === true && name === kind)

function knows(row: GroupVersion, kind: string): boolean {
  const { group, version, definitions } = row
  if (optionKinds.includes(kind) || (group === '' && version === 'v1' && metaKinds.includes(kind))) return true
  return definitions.some((each) => each.kind === kind || `${each.kind}List` === kind) || ownMessage(row, kind) !== undefined
}

/** Why a value can't be decoded as its own kind; undefined: it can, or the kind has no schema here. */
function decodeFault(row: GroupVersion, kind: string, value: Json): string | undefined {
  const schema = row.definitions.find((each) => each.kind === kind)?.schema ?? ownMessage(row, kind)
  try {
    if (schema) decode(schema as Message, value, { root: true })
    return undefined
  } catch (error) {
    if (error instanceof DecodeError) return error.message
    throw error
  }
}

/** Why a body of one kind, which is decoded as that kind first, can't be an object of another one. */
export function otherKindFault(given: GroupVersionKind, wanted: GroupVersionKind, value: Json, platform: Platform): string {
  const { group, version, kind } = given
  const target = rowOf(wanted.group, wanted.version, platform)
  const scheme = schemeOf(target?.group ?? '')
  const source = rowOf(group, version, platform)
  if (source === undefined || schemeOf(source.group) !== scheme || !knows(source, kind)) {
    const apiVersion = group === '' ? version : `${group}/${version}`
    return `no kind "${kind}" is registered for version "${apiVersion}" in scheme "${scheme}"`
  }
  const fault = decodeFault(source, kind, value)
  if (fault !== undefined) return fault
  return `converting (${version}.${kind}) to (${packageOf(target)}.${wanted.kind}): unknown conversion`
}

/** Go type of the reference's objects or lists of a kind, which all versions share; of custom resources: any object, any list. */
export function internalType({ group, version, kind }: GroupVersionKind, isList: boolean, platform: Platform): string {
  const row = rowOf(group, version, platform)
  const type = row === undefined ? 'unstructured.Unstructured' : `${packageOf(row)}.${kind}`
  return `*${type}${isList ? 'List' : ''}`
}

/** Whether objects of one version of a kind can be decoded as another version of it. */
export function isSameKind(given: GroupVersionKind, wanted: GroupVersionKind, platform: Platform): boolean {
  const source = rowOf(given.group, given.version, platform)
  if (given.kind !== wanted.kind || source === undefined || !knows(source, given.kind)) return false
  const target = rowOf(wanted.group, wanted.version, platform)
  return packageOf(source) === packageOf(target)
}
