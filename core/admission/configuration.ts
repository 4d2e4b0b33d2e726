import type { Credentials } from '../webhook/client-config.ts'

/** WebhookAdmissionConfiguration. */
export interface WebhookPluginConfiguration {
  /** Read from its kubeConfigFile; absent: webhooks are called without credentials. */
  readonly credentials?: Credentials
}

/**
 * What `--admission-control-config-file` says, by plugin, read and completed with defaults (core/config/files). Absent: the plugin runs with
 * the defaults it has without a file.
 */
export interface PluginConfigurations {
  readonly MutatingAdmissionWebhook?: WebhookPluginConfiguration
  readonly ValidatingAdmissionWebhook?: WebhookPluginConfiguration
}
