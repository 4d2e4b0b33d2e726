import { atomicList, bool, field, list, message, required, string } from '../../schema/model.ts'
import { GroupVersionForDiscovery } from './group-version.ts'

export const ServerAddressByClientCIDR = message(
  'ServerAddressByClientCIDR',
  'The server address for clients in an address range.',
  () => ({
    clientCIDR: required(1, string, 'Range of client addresses; 0.0.0.0/0 for all.'),
    serverAddress: required(2, string, 'Host or host:port that these clients should use.'),
  }),
)

export const APIGroup = message('APIGroup', 'An API group and its versions.', () => ({
  name: required(1, string, 'Name of the group.'),
  versions: required(2, atomicList(GroupVersionForDiscovery), 'Versions that are served.'),
  preferredVersion: field(3, GroupVersionForDiscovery, 'Version that clients should use.'),
  serverAddressByClientCIDRs: field(4, atomicList(ServerAddressByClientCIDR), 'Server addresses by client network.'),
})).with({ typeMeta: true })

export const APIGroupList = message('APIGroupList', 'The API groups that are served.', () => ({
  groups: required(1, atomicList(APIGroup), 'The groups.'),
})).with({ typeMeta: true })

export const Verbs = list(string, { wrapper: true })

export const APIResource = message('APIResource', 'A resource of a group and version.', () => ({
  name: required(1, string, 'Plural name, with /<subresource> for subresources.'),
  singularName: required(6, string, 'Singular name, for clients that show one object.'),
  namespaced: required(2, bool, 'Whether its objects live in namespaces.'),
  group: field(8, string, "Group of the kind, when it differs from the list's."),
  version: field(9, string, "Version of the kind, when it differs from the list's."),
  kind: required(3, string, 'Kind of its objects.'),
  verbs: required(4, Verbs, 'Supported verbs.'),
  shortNames: field(5, atomicList(string), 'Abbreviations for people.'),
  categories: field(7, atomicList(string), 'Collective names that include it, such as all.'),
  storageVersionHash: field(10, string, 'Opaque; changes when objects are stored in another version.'),
}))

export const APIResourceList = message('APIResourceList', 'The resources of a group and version.', () => ({
  groupVersion: required(1, string, 'The group and version.'),
  resources: required(2, atomicList(APIResource), 'Its resources and subresources.'),
})).with({ typeMeta: true })

export const APIVersions = message('APIVersions', 'The versions of the core group.', () => ({
  versions: required(1, atomicList(string), 'Versions that are served.'),
  serverAddressByClientCIDRs: required(2, atomicList(ServerAddressByClientCIDR), 'Server addresses by client network.'),
})).with({ typeMeta: true })
