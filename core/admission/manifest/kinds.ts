import type { ApiObject } from '../../resources/definition.ts'

export type ManifestPlugin =
  | 'MutatingAdmissionWebhook'
  | 'ValidatingAdmissionWebhook'
  | 'MutatingAdmissionPolicy'
  | 'ValidatingAdmissionPolicy'

/** A kind that a plugin reads from manifests. */
export interface KindRule {
  readonly kind: string
  readonly plural: string
  /** Plural of the objects that it must refer to. */
  readonly refersTo?: string
  /** What is not possible without the API. `suffix`: the end of names of objects from manifests. Throws an Error. */
  check(object: ApiObject, suffix: string, file: string): void
}

const shown = (text: string | undefined) => JSON.stringify(text ?? '')

interface Webhooks {
  readonly webhooks?: readonly { readonly name: string; readonly clientConfig: { readonly service?: object; readonly url?: string } }[]
}

/** Services are resolved through the API, which may not serve yet. */
function checkClients(object: ApiObject, _suffix: string, file: string): void {
  for (const { name, clientConfig } of (object as Webhooks).webhooks ?? []) {
    const where = `webhook ${shown(name)} in ${shown(object.metadata.name)} (file ${shown(file)})`
    if (clientConfig.service)
      throw new Error(`${where}: clientConfig.service is not supported for static manifests; use clientConfig.url instead`)
    if (!clientConfig.url) throw new Error(`${where}: clientConfig.url is required for static manifests`)
  }
}

interface Spec {
  readonly paramKind?: object
  readonly paramRef?: object
  readonly policyName?: string
}

const specOf = (object: ApiObject) => (object['spec'] ?? {}) as Spec

const checkPolicy =
  (kind: string) =>
  (object: ApiObject): void => {
    if (specOf(object).paramKind)
      throw new Error(`${kind} ${shown(object.metadata.name)}: spec.paramKind is not supported for static manifests`)
  }

function checkBinding(object: ApiObject, suffix: string): void {
  const { policyName = '', paramRef } = specOf(object)
  const binding = `binding ${shown(object.metadata.name)}`
  if (policyName === '') throw new Error(`${binding} must reference a policy (spec.policyName)`)
  if (!policyName.endsWith(suffix)) throw new Error(`${binding}: spec.policyName ${shown(policyName)} must end with ${shown(suffix)}`)
  if (paramRef) throw new Error(`${binding}: spec.paramRef is not supported for static manifests`)
}

const policies = (kind: string, plural: string): readonly KindRule[] => [
  { kind, plural, check: checkPolicy(kind) },
  { kind: `${kind}Binding`, plural: `${kind.toLowerCase()}bindings`, refersTo: plural, check: checkBinding },
]

/** Kinds of admissionregistration/v1, by plugin. */
export const manifestKinds: { readonly [plugin in ManifestPlugin]: readonly KindRule[] } = {
  MutatingAdmissionWebhook: [{ kind: 'MutatingWebhookConfiguration', plural: 'mutatingwebhookconfigurations', check: checkClients }],
  ValidatingAdmissionWebhook: [{ kind: 'ValidatingWebhookConfiguration', plural: 'validatingwebhookconfigurations', check: checkClients }],
  MutatingAdmissionPolicy: policies('MutatingAdmissionPolicy', 'mutatingadmissionpolicies'),
  ValidatingAdmissionPolicy: policies('ValidatingAdmissionPolicy', 'validatingadmissionpolicies'),
}
