import { int32, message, pointer, quantity, required, string } from '../../schema/model.ts'
import { LabelSelector } from '../meta/selector.ts'

export const MetricTarget = message('MetricTarget', 'Value that a metric should have.', () => ({
  type: required(1, string, 'Which of the values is set: Utilization, Value or AverageValue.', {
    goType: 'v2.MetricTargetType',
    openEnum: ['Utilization', 'Value', 'AverageValue'],
  }),
  value: pointer(2, quantity, 'The metric as a whole.'),
  averageValue: pointer(3, quantity, 'The metric per pod.'),
  averageUtilization: pointer(4, int32, "The metric per pod, in percent of the pods' requests."),
}))

export const MetricValueStatus = message('MetricValueStatus', 'Value that a metric has.', () => ({
  value: pointer(1, quantity, 'The metric as a whole.'),
  averageValue: pointer(2, quantity, 'The metric per pod.'),
  averageUtilization: pointer(3, int32, "The metric per pod, in percent of the pods' requests."),
}))

export const MetricIdentifier = message('MetricIdentifier', 'Names a metric.', () => ({
  name: required(1, string, 'Name of the metric.'),
  selector: pointer(2, LabelSelector, 'Selects among series of that name.'),
})).with({ byKind: true })
