import { field, message, pointer, required, string } from '../../schema/model.ts'
import { ResourceName } from '../core/enums.ts'
import { MetricSourceType } from './enums.ts'
import { MetricIdentifier, MetricTarget } from './metric-values.ts'

export const ContainerResourceMetricSource = message(
  'ContainerResourceMetricSource',
  'Container, resource and target value, averaged over the pods.',
  () => ({
    name: required(1, string, 'Resource.', { goType: 'v1.ResourceName', openEnum: ResourceName }),
    target: required(2, MetricTarget, 'Value to aim for.'),
    container: required(3, string, 'Container.'),
  }),
)

export const CrossVersionObjectReference = message('CrossVersionObjectReference', 'Points at an object, whatever its version.', () => ({
  kind: required(1, string, 'Kind of the object.'),
  name: required(2, string, 'Name of the object.'),
  apiVersion: field(3, string, 'Group and version of the object.'),
}))

export const ExternalMetricSource = message(
  'ExternalMetricSource',
  'Metric that does not belong to an object of the cluster, and its target value.',
  () => ({
    metric: required(1, MetricIdentifier, 'The metric.'),
    target: required(2, MetricTarget, 'Value to aim for.'),
  }),
)

export const ObjectMetricSource = message('ObjectMetricSource', 'Object, metric and target value.', () => ({
  describedObject: required(1, CrossVersionObjectReference, 'The object.'),
  target: required(2, MetricTarget, 'Value to aim for.'),
  metric: required(3, MetricIdentifier, 'The metric.'),
}))

export const PodsMetricSource = message('PodsMetricSource', 'A metric of each pod, averaged.', () => ({
  metric: required(1, MetricIdentifier, 'The metric.'),
  target: required(2, MetricTarget, 'Value to aim for.'),
}))

export const ResourceMetricSource = message('ResourceMetricSource', 'Resource use of each pod, averaged.', () => ({
  name: required(1, string, 'Resource.', { goType: 'v1.ResourceName', openEnum: ResourceName }),
  target: required(2, MetricTarget, 'Value to aim for.'),
}))

export const MetricSpec = message('MetricSpec', 'A metric to follow; the member named by type is set.', () => ({
  type: required(1, string, 'Object, Pods, Resource, ContainerResource or External.', {
    goType: 'v2.MetricSourceType',
    openEnum: MetricSourceType,
  }),
  object: pointer(2, ObjectMetricSource, 'Metric of one object.'),
  pods: pointer(3, PodsMetricSource, 'Metric of each pod.'),
  resource: pointer(4, ResourceMetricSource, 'Resource use of each pod.'),
  containerResource: pointer(7, ContainerResourceMetricSource, 'Resource use of one container in each pod.'),
  external: pointer(5, ExternalMetricSource, 'Metric from outside the cluster.'),
}))
