import { field, int32, message, required, string } from '../../../schema/model.ts'
import { object, specAndStatus } from '../../meta/object.ts'

export const ScaleSpec = message('ScaleSpec', 'Desired scale.', () => ({
  replicas: field(1, int32, 'Desired number of pods.', { default: 0 }),
}))

export const ScaleStatus = message('ScaleStatus', 'Scale that was observed.', () => ({
  replicas: required(1, int32, 'Number of pods.'),
  selector: field(2, string, 'Label selector of the pods, as text.'),
}))

export const Scale = object('Scale', 'The number of pods of an object that can be scaled.', specAndStatus(ScaleSpec, ScaleStatus))
