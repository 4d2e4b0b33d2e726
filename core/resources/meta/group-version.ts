import { message, required, string } from '../../schema/model.ts'

export const GroupVersionForDiscovery = message('GroupVersionForDiscovery', 'A version of a group, whole and split.', () => ({
  groupVersion: required(1, string, 'Group and version, as <group>/<version>.'),
  version: required(2, string, 'The version alone.'),
}))

export const GroupKind = message('GroupKind', 'A kind in any version.', () => ({
  group: required(1, string, 'API group.'),
  kind: required(2, string, 'Kind.'),
}))

export const GroupResource = message('GroupResource', 'A resource in any version.', () => ({
  group: required(1, string, 'API group.'),
  resource: required(2, string, 'Plural name.'),
}))

export const GroupVersionKind = message('GroupVersionKind', 'A kind in one version.', () => ({
  group: required(1, string, 'API group.'),
  version: required(2, string, 'Version.'),
  kind: required(3, string, 'Kind.'),
}))

export const GroupVersionResource = message('GroupVersionResource', 'A resource in one version.', () => ({
  group: required(1, string, 'API group.'),
  version: required(2, string, 'Version.'),
  resource: required(3, string, 'Plural name.'),
}))
