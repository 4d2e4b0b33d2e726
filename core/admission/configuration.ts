import type { Credentials } from '../webhook/client-config.ts'
import type { WebhookConnection } from '../webhook/connection.ts'
import type { Policy } from './plugins/pod-security/policy.ts'
import type { Toleration } from './plugins/tolerations.ts'
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

export interface EventLimit {
  readonly type: 'Server' | 'Namespace' | 'User' | 'SourceAndObject'
  /** Events a second that come in the long run, and at once. */
  readonly qps: number
  readonly burst: number
  /** Keys that are told apart; 0: a default. */
  readonly cacheSize: number
}

export interface EventRateLimitConfiguration {
  readonly limits: readonly EventLimit[]
}

/** Labels by namespace that its pods' node selectors keep within; `clusterDefaultNodeSelector`: what pods get where the namespace says nothing. */
export interface PodNodeSelectorConfiguration {
  readonly selectors: { readonly [namespace: string]: { readonly [label: string]: string } }
}

/** For namespaces that say nothing themselves. */
export interface PodTolerationRestrictionConfiguration {
  readonly defaults: readonly Toleration[]
  readonly whitelist: readonly Toleration[]
}

/** Times in milliseconds. */
export interface ImagePolicyWebhookConfiguration {
  readonly connection: WebhookConnection
  readonly allowTtl: number
  readonly denyTtl: number
  readonly retryBackoff: number
  /** Whether images are allowed while there is no answer. */
  readonly defaultAllow: boolean
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
  readonly EventRateLimit?: EventRateLimitConfiguration
  readonly PodNodeSelector?: PodNodeSelectorConfiguration
  readonly PodTolerationRestriction?: PodTolerationRestrictionConfiguration
  readonly ImagePolicyWebhook?: ImagePolicyWebhookConfiguration
}
