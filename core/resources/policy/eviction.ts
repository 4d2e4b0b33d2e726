import { field, message, pointer } from '../../schema/model.ts'
import { ObjectMeta } from '../meta/objectmeta.ts'
import { DeleteOptions } from '../meta/options.ts'

export const Eviction = message('Eviction', 'Requests the removal of a pod, subject to disruption budgets.', () => ({
  metadata: field(1, ObjectMeta, 'Name and namespace of the pod.'),
  deleteOptions: pointer(2, DeleteOptions, 'Options of the deletion.'),
})).with({ typeMeta: true })
