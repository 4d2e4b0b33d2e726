import { field, list, message, pointer, required, string } from '../../schema/model.ts'
import { GroupVersionKind } from '../meta/group-version.ts'
import { ListMeta } from '../meta/listmeta.ts'
import { ObjectMeta } from '../meta/objectmeta.ts'

export const APISubresourceDiscovery = message('APISubresourceDiscovery', 'A subresource.', () => ({
  subresource: required(1, string, 'Its name.'),
  responseKind: pointer(2, GroupVersionKind, 'Kind of its responses; absent when they are no objects.'),
  acceptedTypes: field(
    3,
    list(GroupVersionKind, { listType: 'map', keys: ['group', 'version', 'kind'] }),
    'Kinds of request bodies that it accepts.',
  ),
  verbs: required(4, list(string, { listType: 'set' }), 'Supported verbs.'),
}))

export const APIResourceDiscovery = message('APIResourceDiscovery', 'A resource of a version.', () => ({
  resource: required(1, string, 'Plural name.'),
  responseKind: pointer(2, GroupVersionKind, 'Kind of its objects.'),
  scope: required(3, string, 'Cluster or Namespaced.', { goType: 'v2beta1.ResourceScope', openEnum: ['Cluster', 'Namespaced'] }),
  singularResource: required(4, string, 'Singular name.'),
  verbs: required(5, list(string, { listType: 'set' }), 'Supported verbs.'),
  shortNames: field(6, list(string, { listType: 'set' }), 'Abbreviations for people.'),
  categories: field(7, list(string, { listType: 'set' }), 'Collective names that include it, such as all.'),
  subresources: field(8, list(APISubresourceDiscovery, { listType: 'map', keys: ['subresource'] }), 'Its subresources.'),
}))

export const APIVersionDiscovery = message('APIVersionDiscovery', 'A version of a group.', () => ({
  version: required(1, string, 'Name of the version.'),
  resources: field(2, list(APIResourceDiscovery, { listType: 'map', keys: ['resource'] }), 'Its resources.'),
  freshness: field(3, string, 'Current, or Stale when its server could not be reached.', {
    goType: 'v2beta1.DiscoveryFreshness',
    openEnum: ['Current', 'Stale'],
  }),
}))

export const APIGroupDiscovery = message('APIGroupDiscovery', 'An API group with all its versions and resources.', () => ({
  metadata: field(1, ObjectMeta, 'Carries the name of the group.'),
  versions: field(2, list(APIVersionDiscovery, { listType: 'map', keys: ['version'] }), 'Versions, the preferred one first.'),
})).with({ typeMeta: true })

export const APIGroupDiscoveryList = message('APIGroupDiscoveryList', 'The API groups that are served.', () => ({
  metadata: field(1, ListMeta, 'Metadata of the list; empty.'),
  items: required(2, list(APIGroupDiscovery), 'The groups.'),
})).with({ typeMeta: true })
