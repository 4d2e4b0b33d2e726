/** What the expressions of policies see of a request. */
import type { Authorizer } from '../../authz/authorizer.ts'
import { type ApiObject, apiVersionOf } from '../../resources/definition.ts'
import { notFound } from '../../respond/status.ts'
import { messageOf } from '../../schema/message-of.ts'
import type { AdmissionAttributes } from '../attributes.ts'
import type { Lookup } from '../lookup.ts'
import { authorizerBindings } from '../matching/authorizer.ts'
import { admissionRequest } from '../matching/request.ts'
import type { Invocation } from '../matching/rules.ts'
import { isNamespace } from '../namespace-of.ts'
import type { Inputs } from './evaluation.ts'
import { ConfigurationError } from './params.ts'

/** The objects of a request in the version in which a policy sees it. */
export interface Versioned {
  readonly object: ApiObject | null
  readonly oldObject: ApiObject | null
}

/** Rejects with a ConfigurationError where the objects can't be converted. */
export async function versioned(attributes: AdmissionAttributes, { kind }: Invocation): Promise<Versioned> {
  const { object, oldObject, versions } = attributes
  const apiVersion = apiVersionOf(kind)
  const convert = (each: ApiObject | undefined) =>
    each === undefined ? null : each.apiVersion === apiVersion ? each : versions.convert(each, kind)
  try {
    return { object: await convert(object), oldObject: await convert(oldObject) }
  } catch (error) {
    throw new ConfigurationError(`failed to convert object version: ${messageOf(error)}`)
  }
}

/** The namespace that the request is in; undefined for what is in none. Throws 404. */
export async function namespaceObject(attributes: AdmissionAttributes, { find }: Pick<Lookup, 'find'>): Promise<ApiObject | undefined> {
  const { namespace } = attributes
  if (namespace === '' || isNamespace(attributes)) return undefined
  const found = await find('', 'namespaces', '', namespace)
  if (found === undefined) throw notFound({ group: '', resource: 'namespaces' }, namespace)
  return found
}

/** All but `params`, `object` and `oldObject`; made once for a request and the version of it that policies see. */
export function requestInputs(
  attributes: AdmissionAttributes,
  invocation: Invocation,
  authorizer: Authorizer,
  namespace: ApiObject | undefined,
): Inputs & { readonly request: object } {
  return {
    request: admissionRequest(attributes, invocation),
    namespaceObject: namespace ?? null,
    ...authorizerBindings(authorizer, attributes),
  }
}
