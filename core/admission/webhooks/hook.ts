/** A webhook of a configuration, with compiled rules, selectors and conditions. */
import type { CelEnvironment } from '../../cel/environment.ts'
import { boolType } from '../../cel/types.ts'
import type { WebhookClientConfig } from '../../outgoing/webhook/client-config.ts'
import type { LabelSelectorObject } from '../../request/label-selector.ts'
import type { ApiObject } from '../../resources/definition.ts'
import { isReviewVersion, type ReviewVersion } from '../../resources/webhook-client-validation.ts'
import type { Expression } from '../expressions/sequence.ts'
import type { Rule } from '../matching/rules.ts'
import { type ReadSelector, readSelector } from '../matching/selectors.ts'

/** admissionregistration/v1 MutatingWebhook and ValidatingWebhook, with defaults. */
interface WebhookSpec {
  readonly name: string
  readonly clientConfig: WebhookClientConfig
  readonly rules?: readonly Rule[]
  readonly failurePolicy: string
  readonly matchPolicy: string
  readonly namespaceSelector?: LabelSelectorObject
  readonly objectSelector?: LabelSelectorObject
  readonly sideEffects?: string
  readonly timeoutSeconds: number
  readonly admissionReviewVersions?: readonly string[]
  readonly reinvocationPolicy?: string
  readonly matchConditions?: readonly { readonly name: string; readonly expression: string }[]
}

export interface Hook {
  readonly name: string
  readonly configuration: string
  /** Unique among all webhooks of a phase. */
  readonly id: string
  readonly clientConfig: WebhookClientConfig
  readonly rules: readonly Rule[]
  readonly ignoresFailure: boolean
  /** matchPolicy Equivalent: convert requests for other versions to one in the rules. */
  readonly equivalent: boolean
  readonly namespaces: ReadSelector
  readonly objects: ReadSelector
  readonly sideEffects: string | undefined
  /** Timeout in milliseconds. */
  readonly timeout: number
  /** AdmissionReview version to send; undefined: none is supported. */
  readonly reviewVersion: ReviewVersion | undefined
  readonly reinvocable: boolean
  readonly conditions: readonly Expression[]
}

/** The webhooks of a configuration object, in order. `environment` is only called if there are match conditions. */
export function hooksOf(configuration: ApiObject, environment: () => CelEnvironment): Hook[] {
  const { name: owner = '' } = configuration.metadata
  const counts = new Map<string, number>()
  return ((configuration['webhooks'] ?? []) as readonly WebhookSpec[]).map((spec) => {
    const count = counts.get(spec.name) ?? 0
    counts.set(spec.name, count + 1)
    return {
      name: spec.name,
      configuration: owner,
      id: `${owner}/${spec.name}/${count}`,
      clientConfig: spec.clientConfig,
      rules: spec.rules ?? [],
      ignoresFailure: spec.failurePolicy === 'Ignore',
      equivalent: spec.matchPolicy === 'Equivalent',
      namespaces: readSelector(spec.namespaceSelector),
      objects: readSelector(spec.objectSelector),
      sideEffects: spec.sideEffects,
      timeout: spec.timeoutSeconds * 1000,
      reviewVersion: spec.admissionReviewVersions?.find(isReviewVersion),
      reinvocable: spec.reinvocationPolicy === 'IfNeeded',
      conditions: (spec.matchConditions ?? []).map(({ expression }) => ({
        text: expression,
        compiled: environment().compile(expression, { result: [boolType] }),
      })),
    }
  })
}
