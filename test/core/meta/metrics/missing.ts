/** Metrics of the reference that this server does not have, by the reason. `*` at the end: all with this prefix. */
export const missingMetrics: { readonly [reason: string]: readonly string[] } = {
  'of the Go runtime; dashboards read go_goroutines alone, which has a counterpart': ['go_*'],
  'of the gRPC library of the etcd client; etcd_requests_total counts the same calls': ['grpc_client_*'],
  'hidden: deprecated, replaced by a metric that this server has': [
    'apiserver_storage_db_total_size_in_bytes',
    'etcd_bookmark_counts',
    'kube_apiserver_pod_logs_pods_logs_*',
  ],
  'discovery and OpenAPI documents are merged when they are asked for': [
    'aggregator_discovery_aggregation_count_total',
    'aggregator_openapi_*',
  ],
  'authentication and authorization are not delegated to another server': ['apiserver_delegated_*'],
  'there is no leader election': ['leader_election_*'],
  'there are no informers; controllers of the controller manager run as built-in ones': ['informer_*', 'running_managed_controllers'],
  'requests of the server to itself are calls in the process: without a connection, plugins for credentials and a rate limit': [
    'rest_client_dns_resolution_duration_seconds',
    'rest_client_exec_plugin_*',
    'rest_client_rate_limiter_duration_seconds',
    'rest_client_request_size_bytes',
    'rest_client_response_size_bytes',
    'rest_client_request_retries_total',
    'rest_client_transport_*',
  ],
  'TLS libraries of Node, Bun and Deno do not tell': ['apiserver_kube_aggregator_x509_*', 'apiserver_webhooks_x509_*'],
  'there is one implementation of validation, which has no second one to compare with': ['apiserver_validation_*'],
  'allocations are repaired as they are followed, not by a loop': ['apiserver_clusterip_repair_*', 'apiserver_nodeport_repair_*'],
  'a stored lease has one object': ['etcd_lease_object_counts'],
  'watch caches have a fixed capacity': ['watch_cache_capacity_decrease_total', 'watch_cache_capacity_increase_total'],
  'OpenAPI documents of custom resources are made when they are asked for': [
    'apiextensions_openapi_v2_regeneration_count',
    'apiextensions_openapi_v3_regeneration_count',
  ],
  'values of custom resources that did not change are left out while they are validated, not in a step of its own': [
    'apiextensions_apiserver_validation_ratcheting_seconds',
  ],
  'certificates that signers issue are stored as they are, and not read': ['apiserver_certificates_registry_*'],
  'a handler whose response has begun and fails ends the stream; there is no panic to count': ['apiserver_request_aborts_total'],
  'the comparison takes microseconds, and is not timed by itself': ['apiserver_request_timestamp_comparison_time'],
}
