/**
 * What people's dashboards and alerts read of an API server, as in kubernetes-monitoring/kubernetes-mixin: `alerts/kube_apiserver.libsonnet`,
 * `alerts/system_alerts.libsonnet`, `dashboards/apiserver.libsonnet` and `rules/kube_apiserver*.libsonnet`. Names without the suffixes of
 * histograms; labels that their queries select or group by. Some that other dashboards read have no labels here.
 */
export const dashboardMetrics: { readonly [name: string]: readonly string[] } = {
  aggregator_unavailable_apiservice: ['name'],
  aggregator_unavailable_apiservice_total: ['name', 'reason'],
  apiserver_client_certificate_expiration_seconds: [],
  apiserver_request_sli_duration_seconds: ['resource', 'scope', 'subresource', 'verb'],
  apiserver_request_terminations_total: [],
  apiserver_response_sizes: [],
  apiserver_tls_handshake_errors_total: [],
  apiserver_watch_events_total: [],
  apiserver_request_total: ['code', 'resource', 'verb'],
  etcd_request_duration_seconds: [],
  go_goroutines: [],
  kubernetes_build_info: ['git_version'],
  process_cpu_seconds_total: [],
  process_resident_memory_bytes: [],
  rest_client_requests_total: ['code'],
  workqueue_adds_total: ['name'],
  workqueue_depth: ['name'],
  workqueue_queue_duration_seconds: ['name'],
}
