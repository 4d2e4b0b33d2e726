import { bytes, field, int32, message, pointer, required, string } from '../schema/model.ts'

/** How webhooks are called: messages of the same names and fields in two API groups, each with its own. */
export function webhookClient() {
  const ServiceReference = message('ServiceReference', 'Points at a service.', {
    namespace: required(1, string, 'Namespace of the service.'),
    name: required(2, string, 'Name of the service.'),
    path: pointer(3, string, 'URL path to call.'),
    port: pointer(4, int32, 'Port of the service; 443 by default.'),
  }).with({
    defaults(service) {
      service.port ??= 443
    },
  })
  const WebhookClientConfig = message('WebhookClientConfig', 'How a webhook is called; by URL or through a service.', {
    url: pointer(3, string, 'HTTPS URL, without user, query and fragment.'),
    service: pointer(1, ServiceReference, 'Service in the cluster.'),
    caBundle: field(2, bytes, "PEM bundle that verifies the webhook, in base64; the host's roots by default."),
  })
  return { ServiceReference, WebhookClientConfig }
}
