/** Kubeconfig file with the credentials that webhooks are called with (WebhookAdmissionConfiguration). */
export interface WebhookPluginConfiguration {
  readonly kubeConfigFile: string
}

/**
 * What `--admission-control-config-file` says, by plugin, read and completed with defaults (core/config/files). Absent: the plugin runs with
 * the defaults it has without a file.
 */
export interface PluginConfigurations {
  readonly MutatingAdmissionWebhook?: WebhookPluginConfiguration
  readonly ValidatingAdmissionWebhook?: WebhookPluginConfiguration
}
