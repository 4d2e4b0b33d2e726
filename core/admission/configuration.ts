import type { Credentials } from '../webhook/client-config.ts'
import type { Policy } from './plugins/pod-security/policy.ts'
import type { ScopeRequirement } from './quota/quota.ts'

/** WebhookAdmissionConfiguration. */
export interface WebhookPluginConfiguration {
  /** Read from its kubeConfigFile; absent: webhooks are called without credentials. */
  readonly credentials?: Credentials
}

/** What namespaces without labels ask, and what is not judged (PodSecurityConfiguration). */
export interface PodSecurityConfiguration {
  readonly defaults: Policy
  readonly exemptions: {
    readonly usernames: readonly string[]
    readonly namespaces: readonly string[]
    readonly runtimeClasses: readonly string[]
  }
}

/** What may only be used under a quota that counts it. */
export interface LimitedResource {
  readonly apiGroup: string
  readonly resource: string
  /** Parts of names of quotas. */
  readonly matchContains: readonly string[]
  readonly matchScopes: readonly ScopeRequirement[]
}

export interface ResourceQuotaConfiguration {
  readonly limitedResources: readonly LimitedResource[]
}

/**
 * What `--admission-control-config-file` says, by plugin, read and completed with defaults (core/config/files). Absent: the plugin runs with
 * the defaults it has without a file.
 */
export interface PluginConfigurations {
  readonly MutatingAdmissionWebhook?: WebhookPluginConfiguration
  readonly ValidatingAdmissionWebhook?: WebhookPluginConfiguration
  readonly PodSecurity?: PodSecurityConfiguration
  readonly ResourceQuota?: ResourceQuotaConfiguration
}
