import { int32, message, pointer, quantity, required, string } from '../../../schema/model.ts'
import { ResourceName } from '../../core/enums.ts'
import { LabelSelector } from '../../meta/selector.ts'
import { MetricSourceType } from './enums.ts'
import { CrossVersionObjectReference } from './metrics.ts'

export const ContainerResourceMetricStatus = message(
  'ContainerResourceMetricStatus',
  'Container, resource and current value, averaged over the pods.',
  () => ({
    name: required(1, string, 'Resource.', { goType: 'v1.ResourceName', openEnum: ResourceName }),
    currentAverageUtilization: pointer(2, int32, 'Present use per pod, in percent of requests.'),
    currentAverageValue: required(3, quantity, 'Present use per pod.'),
    container: required(4, string, 'Container.'),
  }),
)

export const ExternalMetricStatus = message(
  'ExternalMetricStatus',
  'Metric that does not belong to an object of the cluster, and its current value.',
  () => ({
    metricName: required(1, string, 'Name of the metric.'),
    metricSelector: pointer(2, LabelSelector, 'Selects among series of that name.'),
    currentValue: required(3, quantity, 'Present value.'),
    currentAverageValue: pointer(4, quantity, 'Present value per pod.'),
  }),
)

export const ObjectMetricStatus = message('ObjectMetricStatus', 'Object, metric and current value.', () => ({
  target: required(1, CrossVersionObjectReference, 'The object.'),
  metricName: required(2, string, 'Name of the metric.'),
  currentValue: required(3, quantity, 'Present value.'),
  selector: pointer(4, LabelSelector, 'Selects among series of that name.'),
  averageValue: pointer(5, quantity, 'Present value per pod.'),
}))

export const PodsMetricStatus = message('PodsMetricStatus', 'A metric of each pod, averaged.', () => ({
  metricName: required(1, string, 'Name of the metric.'),
  currentAverageValue: required(2, quantity, 'Present value per pod.'),
  selector: pointer(3, LabelSelector, 'Selects among series of that name.'),
}))

export const ResourceMetricStatus = message('ResourceMetricStatus', 'Resource use of each pod, averaged.', () => ({
  name: required(1, string, 'Resource.', { goType: 'v1.ResourceName', openEnum: ResourceName }),
  currentAverageUtilization: pointer(2, int32, 'Present use per pod, in percent of requests.'),
  currentAverageValue: required(3, quantity, 'Present use per pod.'),
}))

export const MetricStatus = message('MetricStatus', 'A metric when last observed; the member named by type is set.', () => ({
  type: required(1, string, 'Object, Pods, Resource, ContainerResource or External.', {
    goType: 'v1.MetricSourceType',
    enum: MetricSourceType,
  }),
  object: pointer(2, ObjectMetricStatus, 'Metric of one object.'),
  pods: pointer(3, PodsMetricStatus, 'Metric of each pod.'),
  resource: pointer(4, ResourceMetricStatus, 'Resource use of each pod.'),
  containerResource: pointer(7, ContainerResourceMetricStatus, 'Resource use of one container in each pod.'),
  external: pointer(5, ExternalMetricStatus, 'Metric from outside the cluster.'),
}))
