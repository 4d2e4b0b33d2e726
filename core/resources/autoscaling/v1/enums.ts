export const MetricSourceType = ['Object', 'Pods', 'Resource', 'ContainerResource', 'External'] as const
