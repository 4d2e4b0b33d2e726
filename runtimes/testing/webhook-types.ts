/** Webhooks as functions of a test. */
import type { TokenUser } from '../../core/options/authentication.ts'
import type { TestObject } from './server.ts'

/** An object in a review. Functions for mutating webhooks change it in place. */
export interface ReviewedObject {
  apiVersion: string
  kind: string
  metadata: {
    name?: string
    namespace?: string
    labels?: { [key: string]: string }
    annotations?: { [key: string]: string }
    [field: string]: unknown
  }
  [field: string]: unknown
}

/** What an admission webhook is asked (admission.k8s.io/v1 AdmissionRequest). */
export interface AdmissionRequest<T extends object = ReviewedObject> {
  readonly uid: string
  /** Kind of the object in the version that the webhook is called with. */
  readonly kind: { readonly group: string; readonly version: string; readonly kind: string }
  /** Resource that the webhook is called for. */
  readonly resource: { readonly group: string; readonly version: string; readonly resource: string }
  /** Such as `status` or `scale`. */
  readonly subResource?: string
  readonly name?: string
  readonly namespace?: string
  /** What the client does. `CONNECT`: exec, attach, port-forward, proxy. */
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT'
  /** Who does it. */
  readonly userInfo: { readonly username?: string; readonly uid?: string; readonly groups?: readonly string[] }
  /** Null for deletions. */
  readonly object: T
  /** Null for creations. */
  readonly oldObject: T
  /** Whether nothing will be stored. */
  readonly dryRun?: boolean
  /** Options of the request, such as DeleteOptions. */
  readonly options?: { readonly [field: string]: unknown }
}

/** A whole answer of an admission webhook; `uid` and the patch are filled in. */
export interface AdmissionAnswer {
  /** False: the client gets `status`, by default 403. */
  readonly allowed: boolean
  /** Why it is denied. */
  readonly status?: { readonly code?: number; readonly message?: string; readonly reason?: string }
  /** Texts of `Warning` headers for the client. */
  readonly warnings?: readonly string[]
  /** Written to the audit event, with the webhook's name before each key. */
  readonly auditAnnotations?: { readonly [key: string]: string }
}

/** Nothing: allowed. A text: denied, and why. A Response is sent as it is, such as one that no webhook should give. */
// biome-ignore lint/suspicious/noConfusingVoidType: a function without a return statement has it
type AdmissionResult = void | undefined | string | AdmissionAnswer | Response

/** The function of an admission webhook. What it throws makes the call fail, with status 500. */
export interface AdmissionFunction {
  // A method, so that a test can say what it is asked about: `(request: AdmissionRequest<Pod>) => …`.
  bivariance(request: AdmissionRequest): AdmissionResult | Promise<AdmissionResult>
}

type Handle = AdmissionFunction['bivariance']

/** Requests that a webhook is called for. What is left out matches everything. */
export interface WebhookRule {
  /** Plurals, with a subresource after a slash, such as `pods/status`; `*` stands for all. */
  readonly resources: readonly string[]
  readonly operations?: readonly string[]
  readonly apiGroups?: readonly string[]
  readonly apiVersions?: readonly string[]
  readonly scope?: 'Cluster' | 'Namespaced' | '*'
}

/** A webhook and its function. The fields are those of a configuration (admissionregistration.k8s.io/v1), with its defaults. */
export interface ValidatingWebhook {
  /** The webhook is called when one of them matches. */
  readonly rules: readonly WebhookRule[]
  /** Answers the call. */
  readonly handle: Handle
  /** Default `Fail`. */
  readonly failurePolicy?: 'Fail' | 'Ignore'
  /** `Equivalent`: also called for other versions of the resource, with objects converted. Default `Equivalent`. */
  readonly matchPolicy?: 'Equivalent' | 'Exact'
  /** LabelSelector of the namespaces. Default: all. */
  readonly namespaceSelector?: object
  /** LabelSelector of the object, old or new. Default: all. */
  readonly objectSelector?: object
  /** CEL expressions that all must hold for the webhook to be called. */
  readonly matchConditions?: readonly { readonly name: string; readonly expression: string }[]
  /** Default `None`. */
  readonly sideEffects?: 'None' | 'NoneOnDryRun'
  /** Default 10. */
  readonly timeoutSeconds?: number
}

export interface MutatingWebhook extends ValidatingWebhook {
  /** `IfNeeded`: called again when a later webhook changed the object. Default `Never`. */
  readonly reinvocationPolicy?: 'Never' | 'IfNeeded'
}

/** Converts one object to a version of its definition. What it throws makes the conversion fail. */
export interface ConversionFunction {
  bivariance(object: ReviewedObject, apiVersion: string): object | Promise<object>
}

/** What an authorization webhook is asked (authorization.k8s.io/v1 SubjectAccessReviewSpec). */
export interface AccessQuestion {
  /** Name of the user. */
  readonly user?: string
  readonly groups?: readonly string[]
  /** What is asked about a resource. */
  readonly resourceAttributes?: {
    readonly namespace?: string
    readonly verb?: string
    readonly group?: string
    readonly version?: string
    readonly resource?: string
    readonly subresource?: string
    readonly name?: string
  }
  /** What is asked about a path that is no resource. */
  readonly nonResourceAttributes?: { readonly path?: string; readonly verb?: string }
}

/** Nothing: no opinion. */
type AccessAnswer = undefined | 'allow' | 'deny' | { readonly allowed?: boolean; readonly denied?: boolean; readonly reason?: string }

export type AuthorizationFunction = (question: AccessQuestion) => AccessAnswer | Promise<AccessAnswer>

/** The user of a token; undefined: unknown. What it throws is the error of the review. */
export type TokenFunction = (token: string, audiences: readonly string[]) => TokenUser | undefined | Promise<TokenUser | undefined>

/** Functions of webhooks that a server has from its start, because its options name them. */
export interface IdentityWebhooks {
  /** The webhook of `authorizationModes: ['Webhook', …]`. */
  readonly authorization?: AuthorizationFunction
  /** Authenticates bearer tokens that nothing else knows. */
  readonly token?: TokenFunction
}

/** Functions of webhooks by their names. A function alone is for a webhook of `manifests`. */
export interface WebhookFunctions {
  /** Called after mutating ones; they see the object as it will be stored. */
  readonly validating?: { readonly [name: string]: ValidatingWebhook | Handle }
  /** Called in order of their names. */
  readonly mutating?: { readonly [name: string]: MutatingWebhook | Handle }
  /** By the name of the CustomResourceDefinition, whose conversion strategy becomes `Webhook`. */
  readonly conversion?: { readonly [definition: string]: ConversionFunction['bivariance'] }
  /** ValidatingWebhookConfigurations and MutatingWebhookConfigurations, as YAML or JSON text or objects. Their addresses are replaced. */
  readonly manifests?: string | readonly TestObject[]
}

/** How a webhook fails: with an HTTP status, because nobody listens, or because it never answers. */
export type WebhookFailure = number | 'refuse' | 'hang'

/** One call of a webhook. */
export interface WebhookCall {
  /** The webhook's name, or the definition's. */
  readonly name: string
  /** The `request` of the review. */
  readonly request: AdmissionRequest
  /** The `response` of the review; undefined while it runs, and when the call failed. */
  readonly response?: { readonly [field: string]: unknown }
}

/** Webhooks that are in effect. */
export interface Webhooks {
  /** The latest calls (at most 1,000), the oldest first; those of forks, too. */
  readonly calls: readonly WebhookCall[]
  /** Lets a webhook fail until the returned function is called. */
  fail(name: string, how: WebhookFailure): () => void
  /** Delays a webhook's answers by this many milliseconds of the server's clock until the returned function is called. */
  delay(name: string, milliseconds: number): () => void
  /** Removes the configurations, and the conversion of definitions. */
  remove(): Promise<void>
}
