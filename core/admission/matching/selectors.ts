import { ApiError, internalError, notFound } from '../../answers/status.ts'
import type { MaybePromise } from '../../common/maybe-promise.ts'
import { type LabelSelector, type LabelSelectorObject, labelSelectorOf } from '../../request/label-selector.ts'
import type { ApiObject } from '../../resources/definition.ts'
import { messageOf } from '../../schema/message-of.ts'
import type { AdmissionAttributes } from '../attributes.ts'
import type { Lookup } from '../lookup.ts'
import { isNamespace, namespaceOf } from '../namespace-of.ts'

type Labels = { readonly [key: string]: string } | undefined

/** Returns the parsed selector; throws every time if it is malformed. */
export type ReadSelector = () => LabelSelector

export function readSelector(object: LabelSelectorObject | undefined): ReadSelector {
  try {
    const read = labelSelectorOf(object)
    return () => read
  } catch (error) {
    return () => {
      throw error
    }
  }
}

/** Labels of the request's namespace, or of the namespace object being written. Throws 404. */
function namespaceLabels(
  attributes: AdmissionAttributes,
  { find }: Pick<Lookup, 'find'>,
  object: ApiObject | undefined,
): MaybePromise<Labels> {
  const { subresource, operation } = attributes
  const writes = isNamespace(attributes) && subresource === '' && (operation === 'CREATE' || operation === 'UPDATE')
  if (writes) return object?.metadata.labels
  const name = namespaceOf(attributes)
  const labelsOf = (namespace: ApiObject | undefined): Labels => {
    if (namespace === undefined) throw notFound({ group: '', resource: 'namespaces' }, name)
    return namespace.metadata.labels
  }
  const found = find('', 'namespaces', '', name, attributes)
  return found instanceof Promise ? found.then(labelsOf) : labelsOf(found)
}

const refusal = (error: unknown) => (error instanceof ApiError ? error : internalError(messageOf(error)))

/**
 * Whether a namespace selector matches; it matches all cluster-scoped objects. Errors count only if everything else
 * matches.
 */
export function matchesNamespaceSelector(
  selector: ReadSelector,
  attributes: AdmissionAttributes,
  lookup: Pick<Lookup, 'find'>,
  object = attributes.object,
): MaybePromise<boolean | ApiError> {
  if (namespaceOf(attributes) === '' && !isNamespace(attributes)) return true
  try {
    const chosen = selector()
    if (chosen.empty) return true
    const labels = namespaceLabels(attributes, lookup, object)
    return labels instanceof Promise ? labels.then((known) => chosen.matches(known), refusal) : chosen.matches(labels)
  } catch (error) {
    return refusal(error)
  }
}

/** Whether an object selector matches the old or the new object. */
export function matchesObjectSelector(
  selector: ReadSelector,
  { object, oldObject }: Pick<AdmissionAttributes, 'object' | 'oldObject'>,
): boolean | ApiError {
  try {
    const chosen = selector()
    return chosen.empty || [object, oldObject].some((each) => each !== undefined && chosen.matches(each.metadata?.labels))
  } catch (error) {
    return refusal(error)
  }
}
