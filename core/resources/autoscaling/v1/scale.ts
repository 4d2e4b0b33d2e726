import { field, int32, message, required, string } from '../../../schema/model.ts'
import { ObjectMeta } from '../../meta/objectmeta.ts'

export const ScaleSpec = message('ScaleSpec', 'Scale that is wanted.', {
  replicas: field(1, int32, 'Number of pods wanted.', { default: 0 }),
})

export const ScaleStatus = message('ScaleStatus', 'Scale that was observed.', {
  replicas: required(1, int32, 'Number of pods.'),
  selector: field(2, string, 'Label selector of the pods, as text.'),
})

export const Scale = message(
  'Scale',
  'The number of pods of an object that can be scaled.',
  {
    metadata: field(1, ObjectMeta, 'Name, labels and the other metadata that every object carries.'),
    spec: field(2, ScaleSpec, 'What is wanted.'),
    status: field(3, ScaleStatus, 'What was observed last; written by controllers through the status subresource.'),
  },
  { typeMeta: true },
)
