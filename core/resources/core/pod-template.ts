import { field, message } from '../../schema/model.ts'
import { ObjectMeta } from '../meta/objectmeta.ts'
import { PodSpec } from './pod-spec.ts'

export const PodTemplateSpec = message('PodTemplateSpec', 'Metadata and spec of the pods that a controller creates.', () => ({
  metadata: field(1, ObjectMeta, 'Labels and annotations of the pods.'),
  spec: field(2, PodSpec, 'Spec of the pods.'),
}))
