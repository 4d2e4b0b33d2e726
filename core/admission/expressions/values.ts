/** Values of a request for CEL expressions. */
import type { Authorizer } from '../../access/authz/authorizer.ts'
import { notFound } from '../../answers/status.ts'
import type { authorizerValues } from '../../cel/library/authorizer.ts'
import { CelObject } from '../../cel/values/values.ts'
import type { Slices } from '../../common/slices.ts'
import { namespaceType, requestType } from '../../resources/admissionregistration/expressions.ts'
import { type ApiObject, apiVersionOf } from '../../resources/definition.ts'
import { messageOf } from '../../schema/message-of.ts'
import type { AdmissionAttributes } from '../attributes.ts'
import type { Lookup } from '../lookup.ts'
import { admissionRequest } from '../matching/request.ts'
import type { Invocation } from '../matching/rules.ts'
import { isNamespace } from '../namespace-of.ts'
import { authorizerBindings } from './authorizer.ts'
import { ConfigurationError } from './faults.ts'

/** The objects of a request in the version that a policy or webhook asks for. */
export interface Versioned {
  readonly object?: ApiObject | null | undefined
  readonly oldObject?: ApiObject | null | undefined
}

type AuthorizerValues = ReturnType<typeof authorizerValues>

/** Values of variables: computed on first use, shared by all expressions in the same version. */
export class RequestValues {
  readonly object: ApiObject | null
  readonly oldObject: ApiObject | null
  readonly #attributes: AdmissionAttributes
  readonly #invocation: Invocation
  readonly #authorizer: Authorizer
  readonly #namespace: ApiObject | null
  #request: CelObject | undefined
  #namespaceObject: CelObject | undefined
  #checks: AuthorizerValues | undefined

  /** @param namespace namespace object of the request; null: none, or not available */
  constructor(
    attributes: AdmissionAttributes,
    invocation: Invocation,
    { object, oldObject }: Versioned,
    authorizer: Authorizer,
    namespace: ApiObject | null,
  ) {
    this.#attributes = attributes
    this.#invocation = invocation
    this.object = object ?? null
    this.oldObject = oldObject ?? null
    this.#authorizer = authorizer
    this.#namespace = namespace
  }

  /** Time slices for evaluation. */
  get slices(): Slices | undefined {
    return this.#attributes.slices
  }

  get request(): CelObject {
    this.#request ??= new CelObject(requestType, admissionRequest(this.#attributes, this.#invocation))
    return this.#request
  }

  get namespaceObject(): CelObject | null {
    if (this.#namespace === null) return null
    this.#namespaceObject ??= new CelObject(namespaceType, this.#namespace)
    return this.#namespaceObject
  }

  get authorizer(): unknown {
    return this.#authorization.authorizer
  }

  get requestResource(): unknown {
    return this.#authorization['authorizer.requestResource']
  }

  get #authorization(): AuthorizerValues {
    this.#checks ??= authorizerBindings(this.#authorizer, this.#attributes)
    return this.#checks
  }
}

/** Rejects with a ConfigurationError when conversion fails; a plain value when no conversion is needed. */
export function versioned(attributes: AdmissionAttributes, { kind }: Invocation): Versioned | Promise<Versioned> {
  const { object, oldObject } = attributes
  const apiVersion = apiVersionOf(kind)
  const fits = (each: ApiObject | undefined) => each === undefined || each.apiVersion === apiVersion
  return fits(object) && fits(oldObject) ? attributes : converted(attributes, kind)
}

async function converted({ object, oldObject, versions }: AdmissionAttributes, kind: Invocation['kind']): Promise<Versioned> {
  try {
    return {
      object: object && (await versions.convert(object, kind)),
      oldObject: oldObject && (await versions.convert(oldObject, kind)),
    }
  } catch (error) {
    throw new ConfigurationError(`failed to convert object version: ${messageOf(error)}`)
  }
}

/** The namespace object of the request; null for cluster-scoped requests. Throws or rejects with 404. */
export function namespaceObject(attributes: AdmissionAttributes, { find }: Pick<Lookup, 'find'>): ApiObject | null | Promise<ApiObject> {
  const { namespace } = attributes
  if (namespace === '' || isNamespace(attributes)) return null
  const checked = (found: ApiObject | undefined) => {
    if (found === undefined) throw notFound({ group: '', resource: 'namespaces' }, namespace)
    return found
  }
  const found = find('', 'namespaces', '', namespace, attributes)
  return found instanceof Promise ? found.then(checked) : checked(found)
}
