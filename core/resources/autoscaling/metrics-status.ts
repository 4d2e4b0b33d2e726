import { message, pointer, required, string } from '../../schema/model.ts'
import { ResourceName } from '../core/enums.ts'
import { MetricSourceType } from './enums.ts'
import { MetricIdentifier, MetricValueStatus } from './metric-values.ts'
import { CrossVersionObjectReference } from './metrics.ts'

export const ContainerResourceMetricStatus = message(
  'ContainerResourceMetricStatus',
  'Container, resource and current value, averaged over the pods.',
  () => ({
    name: required(1, string, 'Resource.', { goType: 'v1.ResourceName', openEnum: ResourceName }),
    current: required(2, MetricValueStatus, 'Present value.'),
    container: required(3, string, 'Container.'),
  }),
)

export const ExternalMetricStatus = message(
  'ExternalMetricStatus',
  'Metric that does not belong to an object of the cluster, and its current value.',
  () => ({
    metric: required(1, MetricIdentifier, 'The metric.'),
    current: required(2, MetricValueStatus, 'Present value.'),
  }),
)

export const ObjectMetricStatus = message('ObjectMetricStatus', 'Object, metric and current value.', () => ({
  metric: required(1, MetricIdentifier, 'The metric.'),
  current: required(2, MetricValueStatus, 'Present value.'),
  describedObject: required(3, CrossVersionObjectReference, 'The object.'),
}))

export const PodsMetricStatus = message('PodsMetricStatus', 'A metric of each pod, averaged.', () => ({
  metric: required(1, MetricIdentifier, 'The metric.'),
  current: required(2, MetricValueStatus, 'Present value.'),
}))

export const ResourceMetricStatus = message('ResourceMetricStatus', 'Resource use of each pod, averaged.', () => ({
  name: required(1, string, 'Resource.', { goType: 'v1.ResourceName', openEnum: ResourceName }),
  current: required(2, MetricValueStatus, 'Present value.'),
}))

export const MetricStatus = message('MetricStatus', 'A metric when last observed; the member named by type is set.', () => ({
  type: required(1, string, 'Object, Pods, Resource, ContainerResource or External.', {
    goType: 'v2.MetricSourceType',
    openEnum: MetricSourceType,
  }),
  object: pointer(2, ObjectMetricStatus, 'Metric of one object.'),
  pods: pointer(3, PodsMetricStatus, 'Metric of each pod.'),
  resource: pointer(4, ResourceMetricStatus, 'Resource use of each pod.'),
  containerResource: pointer(7, ContainerResourceMetricStatus, 'Resource use of one container in each pod.'),
  external: pointer(5, ExternalMetricStatus, 'Metric from outside the cluster.'),
}))
