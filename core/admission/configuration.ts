import type { Credentials } from '../outgoing/webhook/client-config.ts'
import type { WebhookConnection } from '../outgoing/webhook/connection.ts'
import type { ManifestFolder } from './manifest/load.ts'
import type { Policy } from './plugins/pod-security/policy.ts'
import type { Toleration } from './plugins/tolerations.ts'
import type { ScopeRequirement } from './quota/quota.ts'

/** WebhookAdmissionConfiguration. */
export interface WebhookPluginConfiguration {
  /** Read from the plugin's kubeConfigFile; absent: webhooks are called without credentials. */
  readonly credentials?: Credentials
  /** Webhooks from files, beside those of the API. */
  readonly manifests?: ManifestFolder
}

/** ValidatingAdmissionPolicyConfiguration, MutatingAdmissionPolicyConfiguration. */
export interface PolicyPluginConfiguration {
  /** Policies from files, beside those of the API. */
  readonly manifests?: ManifestFolder
}

/** Default policy for namespaces without labels, and exemptions (PodSecurityConfiguration). */
export interface PodSecurityConfiguration {
  readonly defaults: Policy
  readonly exemptions: {
    readonly usernames: readonly string[]
    readonly namespaces: readonly string[]
    readonly runtimeClasses: readonly string[]
  }
}

/** A resource that may only be used under a quota that covers it. */
export interface LimitedResource {
  readonly apiGroup: string
  readonly resource: string
  /** Substrings of quota resource names. */
  readonly matchContains: readonly string[]
  readonly matchScopes: readonly ScopeRequirement[]
}

export interface ResourceQuotaConfiguration {
  readonly limitedResources: readonly LimitedResource[]
}

export interface EventLimit {
  readonly type: 'Server' | 'Namespace' | 'User' | 'SourceAndObject'
  /** Sustained events per second, and burst size. */
  readonly qps: number
  readonly burst: number
  /** Maximum tracked keys; 0: a default. */
  readonly cacheSize: number
}

export interface EventRateLimitConfiguration {
  readonly limits: readonly EventLimit[]
}

/** Allowed node selector labels by namespace; `clusterDefaultNodeSelector`: default node selector for namespaces without one. */
export interface PodNodeSelectorConfiguration {
  readonly selectors: { readonly [namespace: string]: { readonly [label: string]: string } }
}

/** Defaults for namespaces without annotations. */
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
  /** Whether images are allowed when the webhook fails. */
  readonly defaultAllow: boolean
}

/**
 * Plugin configurations from `--admission-control-config-file`, parsed and defaulted (`file/`). Absent: the plugin runs with its
 * defaults without a file.
 */
export interface PluginConfigurations {
  readonly MutatingAdmissionWebhook?: WebhookPluginConfiguration
  readonly ValidatingAdmissionWebhook?: WebhookPluginConfiguration
  readonly MutatingAdmissionPolicy?: PolicyPluginConfiguration
  readonly ValidatingAdmissionPolicy?: PolicyPluginConfiguration
  readonly PodSecurity?: PodSecurityConfiguration
  readonly ResourceQuota?: ResourceQuotaConfiguration
  readonly EventRateLimit?: EventRateLimitConfiguration
  readonly PodNodeSelector?: PodNodeSelectorConfiguration
  readonly PodTolerationRestriction?: PodTolerationRestrictionConfiguration
  readonly ImagePolicyWebhook?: ImagePolicyWebhookConfiguration
}
