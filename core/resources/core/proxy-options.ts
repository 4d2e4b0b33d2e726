import { field, message, string } from '../../schema/model.ts'

export const NodeProxyOptions = message('NodeProxyOptions', 'Query of a call that is proxied to a node.', () => ({
  path: field(1, string, 'URL path of the proxied request.'),
})).with({ typeMeta: true })

export const PodProxyOptions = message('PodProxyOptions', 'Query of a call that is proxied to a pod.', () => ({
  path: field(1, string, 'URL path of the proxied request.'),
})).with({ typeMeta: true })

export const ServiceProxyOptions = message('ServiceProxyOptions', 'Query of a call that is proxied to a service.', () => ({
  path: field(1, string, 'URL path of the proxied request.'),
})).with({ typeMeta: true })
