import { bool, field, list, message, pointer } from '../../schema/model.ts'
import { TokenRequest } from '../authentication/tokenrequest.ts'
import { resource } from '../definition.ts'
import { ObjectMeta } from '../meta/objectmeta.ts'
import { serviceAccountColumns } from './columns.ts'
import { objectRules } from './own-rules.ts'
import { LocalObjectReference, ObjectReference } from './references.ts'

export const ServiceAccount = message(
  'ServiceAccount',
  'An identity for the processes of pods.',
  {
    metadata: field(1, ObjectMeta, 'Name, labels and the other metadata that every object carries.'),
    secrets: field(2, list(ObjectReference, { listType: 'map', keys: ['name'] }), 'Secrets that its pods may use.', {
      patchStrategy: 'merge',
      patchMergeKey: 'name',
    }),
    imagePullSecrets: field(3, list(LocalObjectReference, { listType: 'atomic' }), 'Image credentials for its pods.'),
    automountServiceAccountToken: pointer(4, bool, 'Whether pods get its token; pods can decide otherwise.'),
  },
  { typeMeta: true },
)

export const serviceAccounts = resource({
  group: '',
  version: 'v1',
  kind: 'ServiceAccount',
  names: ['serviceaccounts', 'serviceaccount', 'sa'],
  schema: ServiceAccount,
  columns: serviceAccountColumns,
  returnsDeleted: true,
  strategy: { validate: objectRules() },
  lifecycle: { introduced: '1.0' },
  subresources: [{ name: 'token', kind: 'TokenRequest', group: 'authentication.<domain>', verbs: ['create'], schema: TokenRequest }],
})
