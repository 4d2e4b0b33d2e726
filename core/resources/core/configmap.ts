import { bool, bytes, field, map, pointer, string } from '../../schema/model.ts'
import { resource } from '../definition.ts'
import { object } from '../meta/object.ts'
import { configMapColumns } from './columns.ts'
import { validateConfigMap, validateConfigMapUpdate } from './data-validation.ts'

export const ConfigMap = object('ConfigMap', 'Configuration data that pods can read.', () => ({
  immutable: pointer(4, bool, 'True forbids changes of the data; it cannot be undone.'),
  data: field(2, map(string), 'Text values; keys are shared with binaryData and must not occur in both.'),
  binaryData: field(3, map(bytes), 'Values that are not UTF-8 text, in base64.'),
}))

export const configMaps = resource({
  group: '',
  version: 'v1',
  names: ['configmaps', 'configmap', 'cm'],
  metadataOnUpdate: ['update', 'changes', 'object'],
  schema: ConfigMap,
  columns: configMapColumns,
  strategy: { validate: validateConfigMap, validateUpdate: validateConfigMapUpdate },
  lifecycle: { introduced: '1.2' },
})
