import { field, int32, message, pointer, quantity, required, string } from '../../../schema/model.ts'
import { ResourceName } from '../../core/enums.ts'
import { LabelSelector } from '../../meta/selector.ts'
import { MetricSourceType } from './enums.ts'

export const ContainerResourceMetricSource = message(
  'ContainerResourceMetricSource',
  'Container, resource and target value, averaged over the pods.',
  () => ({
    name: required(1, string, 'Resource.', { goType: 'v1.ResourceName', openEnum: ResourceName }),
    targetAverageUtilization: pointer(2, int32, 'Use per pod to aim for, in percent of requests.'),
    targetAverageValue: pointer(3, quantity, 'Use per pod to aim for.'),
    container: required(5, string, 'Container.'),
  }),
)

export const CrossVersionObjectReference = message('CrossVersionObjectReference', 'Points at an object, whatever its version.', () => ({
  kind: required(1, string, 'Kind of the object.'),
  name: required(2, string, 'Name of the object.'),
  apiVersion: field(3, string, 'Group and version of the object.'),
})).with({ atomic: true })

export const ExternalMetricSource = message(
  'ExternalMetricSource',
  'Metric that does not belong to an object of the cluster, and its target value.',
  () => ({
    metricName: required(1, string, 'Name of the metric.'),
    metricSelector: pointer(2, LabelSelector, 'Selects among series of that name.'),
    targetValue: pointer(3, quantity, 'Value to aim for.'),
    targetAverageValue: pointer(4, quantity, 'Value per pod to aim for.'),
  }),
)

export const ObjectMetricSource = message('ObjectMetricSource', 'Object, metric and target value.', () => ({
  target: required(1, CrossVersionObjectReference, 'The object.'),
  metricName: required(2, string, 'Name of the metric.'),
  targetValue: required(3, quantity, 'Value to aim for.'),
  selector: pointer(4, LabelSelector, 'Selects among series of that name.'),
  averageValue: pointer(5, quantity, 'Value per pod to aim for.'),
}))

export const PodsMetricSource = message('PodsMetricSource', 'A metric of each pod, averaged.', () => ({
  metricName: required(1, string, 'Name of the metric.'),
  targetAverageValue: required(2, quantity, 'Value per pod to aim for.'),
  selector: pointer(3, LabelSelector, 'Selects among series of that name.'),
}))

export const ResourceMetricSource = message('ResourceMetricSource', 'Resource use of each pod, averaged.', () => ({
  name: required(1, string, 'Resource.', { goType: 'v1.ResourceName', openEnum: ResourceName }),
  targetAverageUtilization: pointer(2, int32, 'Use per pod to aim for, in percent of requests.'),
  targetAverageValue: pointer(3, quantity, 'Use per pod to aim for.'),
}))

export const MetricSpec = message('MetricSpec', 'A metric to follow; the member named by type is set.', () => ({
  type: required(1, string, 'Object, Pods, Resource, ContainerResource or External.', {
    goType: 'v1.MetricSourceType',
    enum: MetricSourceType,
  }),
  object: pointer(2, ObjectMetricSource, 'Metric of one object.'),
  pods: pointer(3, PodsMetricSource, 'Metric of each pod.'),
  resource: pointer(4, ResourceMetricSource, 'Resource use of each pod.'),
  containerResource: pointer(7, ContainerResourceMetricSource, 'Resource use of one container in each pod.'),
  external: pointer(5, ExternalMetricSource, 'Metric from outside the cluster.'),
}))
