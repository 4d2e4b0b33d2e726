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

const webhooks = ['MutatingWebhookConfiguration', 'ValidatingWebhookConfiguration']
const policies = ['ValidatingAdmissionPolicy', 'ValidatingAdmissionPolicyBinding']
const flows = ['FlowSchema', 'PriorityLevelConfiguration']
const roles = ['ClusterRole', 'ClusterRoleBinding', 'Role', 'RoleBinding']
const accessReviews = ['LocalSubjectAccessReview', 'SelfSubjectAccessReview', 'SelfSubjectRulesReview', 'SubjectAccessReview']

/** Kinds that the reference knows in versions in which it does not serve them any more. */
const formerKinds: { readonly [group: string]: { readonly [version: string]: readonly string[] } } = {
  'admission.<domain>': { v1beta1: ['AdmissionReview'] },
  'admissionregistration.<domain>': { v1alpha1: policies, v1beta1: [...webhooks, ...policies] },
  'apidiscovery.<domain>': { v2beta1: ['APIGroupDiscovery'] },
  'apiextensions.<domain>': { v1beta1: ['ConversionReview', 'CustomResourceDefinition'] },
  'apiregistration.<domain>': { v1beta1: ['APIService'] },
  apps: {
    v1beta1: ['ControllerRevision', 'Deployment', 'DeploymentRollback', 'Scale', 'StatefulSet'],
    v1beta2: ['ControllerRevision', 'DaemonSet', 'Deployment', 'ReplicaSet', 'Scale', 'StatefulSet'],
  },
  'authentication.<domain>': { v1alpha1: ['SelfSubjectReview'], v1beta1: ['SelfSubjectReview', 'TokenReview'] },
  'authorization.<domain>': { v1beta1: accessReviews },
  batch: { v1beta1: ['CronJob'] },
  'certificates.<domain>': { v1beta1: ['CertificateSigningRequest'] },
  'coordination.<domain>': { v1beta1: ['Lease'] },
  'discovery.<domain>': { v1beta1: ['EndpointSlice'] },
  'events.<domain>': { v1beta1: ['Event'] },
  extensions: { v1beta1: ['DaemonSet', 'Deployment', 'DeploymentRollback', 'Ingress', 'NetworkPolicy', 'ReplicaSet', 'Scale'] },
  'flowcontrol.apiserver.<domain>': { v1beta1: flows, v1beta2: flows, v1beta3: flows },
  'networking.<domain>': { v1beta1: ['Ingress', 'IngressClass'] },
  'node.<domain>': { v1alpha1: ['RuntimeClass'], v1beta1: ['RuntimeClass'] },
  policy: { v1beta1: ['Eviction', 'PodDisruptionBudget'] },
  'rbac.authorization.<domain>': { v1alpha1: roles, v1beta1: roles },
  'scheduling.<domain>': { v1beta1: ['PriorityClass'] },
  'storage.<domain>': {
    v1alpha1: ['CSIStorageCapacity', 'VolumeAttachment', 'VolumeAttributesClass'],
    v1beta1: ['CSIDriver', 'CSINode', 'CSIStorageCapacity', 'StorageClass', 'VolumeAttachment'],
  },
}

/** Groups that kinds have moved to. */
const successors: { readonly [group: string]: { readonly [kind: string]: string } } = {
  extensions: {
    ...{ DaemonSet: 'apps', Deployment: 'apps', DeploymentRollback: 'apps', ReplicaSet: 'apps', Scale: 'autoscaling' },
    ...{ Ingress: 'networking.<domain>', NetworkPolicy: 'networking.<domain>' },
  },
  apps: { Scale: 'autoscaling' },
}

/** Kinds without lists, beside those of which there are no stored objects. */
const single = /^(Scale|DeploymentRollback|Eviction)$|Review$/

/** Groups in which the reference registers none of the options. */
const withoutOptions = ['apidiscovery.<domain>', 'meta.<domain>']

/** The group versions in which the reference registers options and events of watches, served or not. */
export function registeredVersions(platform: Platform): readonly Pick<GroupVersion, 'group' | 'version'>[] {
  const former = Object.entries(formerKinds).flatMap(([group, versions]) => Object.keys(versions).map((version) => ({ group, version })))
  const served = new Set(groupVersions.map(({ group, version }) => `${group}/${version}`))
  return [...groupVersions, ...former.filter(({ group, version }) => !served.has(`${group}/${version}`))]
    .filter(({ group }) => !withoutOptions.includes(group))
    .map(({ group, version }) => ({ group: platform.name(group), version }))
}

const schemeOf = (group: string) => ownSchemes[group] ?? sharedScheme

function rowOf(group: string, version: string, platform: Platform): GroupVersion | undefined {
  return groupVersions.find((row) => row.version === version && platform.name(row.group) === group)
}

/** The name of a group in tables. */
const neutralName = (group: string, platform: Platform) => Object.keys(formerKinds).find((name) => platform.name(name) === group)

/** The row of the kind's group now, if the reference knows the kind in a version in which it does not serve it. */
function formerRow({ group, version, kind }: GroupVersionKind, platform: Platform): GroupVersion | undefined {
  const name = neutralName(group, platform)
  const kinds = name === undefined ? undefined : formerKinds[name]?.[version]
  if (name === undefined || kinds === undefined) return undefined
  const isList = kind.endsWith('List') && !single.test(kind.slice(0, -'List'.length))
  const item = isList ? kind.slice(0, -'List'.length) : kind
  if (!kinds.includes(item) && !optionKinds.includes(kind)) return undefined
  const current = successors[name]?.[item] ?? name
  return groupVersions.find((row) => row.group === current)
}

/** The row whose group has the kind's types; undefined if the reference does not know the kind. */
function sourceOf(given: GroupVersionKind, platform: Platform): GroupVersion | undefined {
  const row = rowOf(given.group, given.version, platform)
  return row !== undefined && knows(row, given.kind) ? row : formerRow(given, platform)
}

/** Go package of the types that all versions of a group are converted to. */
const packageOf = (row: GroupVersion | undefined) => internalPackages[row?.group ?? ''] ?? row?.package.split('.').at(-2)

const ownMessage = ({ messages }: GroupVersion, kind: string) => messages.find(({ name, typeMeta }) => typeMeta === true && name === kind)

function knows(row: GroupVersion, kind: string): boolean {
  const { group, version, definitions } = row
  if (optionKinds.includes(kind) || (group === '' && version === 'v1' && metaKinds.includes(kind))) return true
  return (
    definitions.some((each) => each.kind === kind || (`${each.kind}List` === kind && each.verbs.includes('list'))) ||
    ownMessage(row, kind) !== undefined
  )
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
  const source = sourceOf(given, platform)
  if (source === undefined || schemeOf(source.group) !== scheme) {
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
  const source = sourceOf(given, platform)
  if (given.kind !== wanted.kind || source === undefined) return false
  const target = rowOf(wanted.group, wanted.version, platform)
  return packageOf(source) === packageOf(target)
}
