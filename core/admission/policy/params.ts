/** Parameter objects of bindings, `params` in expressions. */
import type { Context } from '../../ports.ts'
import { labelSelectorOf } from '../../request/label-selector.ts'
import type { ParamKind, ParamRef } from '../../resources/admissionregistration/match.ts'
import type { ApiObject } from '../../resources/definition.ts'
import type { Infer } from '../../schema/model.ts'
import { ConfigurationError } from '../expressions/faults.ts'
import type { KindObjects, Lookup } from '../lookup.ts'

type Kind = Infer<typeof ParamKind>
type Reference = Infer<typeof ParamRef>

/** Look-up of a policy's parameters. Throws a ConfigurationError when their kind is not served. */
export function paramSource(kind: Kind | undefined, { objectsOf }: Pick<Lookup, 'objectsOf'>): KindObjects | undefined {
  if (kind == null) return undefined
  const { apiVersion = '', kind: name = '' } = kind
  const source = objectsOf(apiVersion, name)
  if (source) return source
  const version = apiVersion.includes('/') ? apiVersion : `/${apiVersion}`
  throw new ConfigurationError(`failed to find resource referenced by paramKind: '${version}, Kind=${name}'`)
}

function namespaceOfParams({ namespace = '' }: Reference, { namespaced }: KindObjects, requested: string): string {
  if (!namespaced && namespace !== '')
    throw new ConfigurationError('paramRef.namespace must not be provided for a cluster-scoped `paramKind`')
  if (!namespaced) return ''
  if (namespace !== '') return namespace
  if (requested !== '') return requested
  throw new ConfigurationError('cannot use namespaced paramRef in policy binding that matches cluster-scoped resources')
}

async function found(reference: Reference, source: KindObjects, namespace: string, context: Context): Promise<readonly ApiObject[]> {
  const { name, selector } = reference
  if (name) {
    const object = await source.find(namespace, name, context)
    return object ? [object] : []
  }
  const chosen = labelSelectorOf(selector)
  return (await source.list(namespace, context)).filter(({ metadata }) => chosen.matches(metadata.labels))
}

/**
 * The policy is evaluated once per element; undefined means no parameters. Empty: the binding does not apply.
 * @param requested namespace of the request
 */
export async function collectParams(
  source: KindObjects | undefined,
  reference: Reference | undefined,
  requested: string,
  context: Context,
): Promise<readonly (ApiObject | undefined)[]> {
  if (source === undefined || reference == null) return [undefined]
  const params = await found(reference, source, namespaceOfParams(reference, source, requested), context)
  if (params.length === 0 && reference.parameterNotFoundAction === 'Deny') {
    throw new ConfigurationError('no params found for policy binding with `Deny` parameterNotFoundAction')
  }
  return params
}
