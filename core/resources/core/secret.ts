import { bool, bytes, field, map, pointer, string } from '../../schema/model.ts'
import { resource } from '../definition.ts'
import { object } from '../meta/object.ts'
import { secretColumns } from './columns.ts'
import { mergeTexts, validateSecret, validateSecretUpdate } from './data-validation.ts'
import { tlsWarnings } from './tls-warnings.ts'

export const Secret = object('Secret', 'Confidential data that pods can read.', () => ({
  immutable: pointer(5, bool, 'True forbids changes of the data; it cannot be undone.'),
  data: field(2, map(bytes), 'Values in base64.'),
  stringData: field(4, map(string), 'Values as text; merged into data on writes and never returned.'),
  type: field(3, string, 'Purpose of the data; cannot be changed.', {
    goType: 'v1.SecretType',
    openEnum: [
      'Opaque',
      '<labels>/service-account-token',
      '<labels>/dockercfg',
      '<labels>/dockerconfigjson',
      '<labels>/basic-auth',
      '<labels>/ssh-auth',
      '<labels>/tls',
      'bootstrap.<labels>/token',
    ],
  }),
}))

export const secrets = resource({
  group: '',
  version: 'v1',
  names: ['secrets', 'secret'],
  metadataOnUpdate: ['update', 'changes', 'object'],
  schema: Secret,
  columns: secretColumns,
  strategy: {
    defaults(secret) {
      mergeTexts(secret)
      secret.type ||= 'Opaque'
    },
    validate: validateSecret,
    validateUpdate: validateSecretUpdate,
    warnings: ({ type, data }, _old, { platform }) => (type === platform.name('<labels>/tls') ? tlsWarnings(data) : []),
  },
  lifecycle: { introduced: '1.0' },
  selectable: { type: '.type' },
})
