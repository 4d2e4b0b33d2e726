import { type ApiError, badRequest, internalError, invalid } from '../answers/status.ts'
import { mainView, statusView, strategyView, type View } from '../objects/registry/view.ts'
import { labelSelectorOf } from '../request/label-selector.ts'
import { scaleColumns } from '../resources/autoscaling/columns.ts'
import { Scale } from '../resources/autoscaling/v1/index.ts'
import { type ApiObject, apiVersionOf, type ResourceDefinition, type Scale as ScalePaths } from '../resources/definition.ts'
import { validateNonNegative } from '../resources/validation.ts'
import { getPath, setPath } from '../schema/accessors.ts'
import { canonicalise } from '../schema/decode.ts'
import { FieldErrors } from '../schema/field-error.ts'
import { FieldPath } from '../schema/field-path.ts'
import type { Json, Message } from '../schema/model.ts'

/** View of a main resource or subresource, with the kind of its bodies. */
export interface SubresourceView extends View {
  /** Empty: the main resource. */
  readonly name: string
  readonly body: {
    readonly group: string
    readonly version: string
    readonly kind: string
    readonly schema: Message
    /** As of the definition; default: built in. */
    readonly origin?: ResourceDefinition['origin']
    readonly strategy?: Pick<ResourceDefinition['strategy'], 'readAnnotations'>
    /** Older `apiVersion`s with the same fields that bodies may use. */
    readonly olderVersions?: readonly string[]
  }
  /** False: responses can't be a Table. Default true. */
  readonly tables?: boolean
  /** Table columns of what `read` returns; absent: the default ones. */
  readonly columns?: ResourceDefinition['columns']
  /** Projects the stored object to what clients see; absent: the object itself. */
  read?(parent: ApiObject): ApiObject
  /** Error of a GET, if it can't be answered; absent: it always can. */
  unreadable?(parent: ApiObject): ApiError | undefined
  /** Base of patches; absent: what clients see. */
  base?(parent: ApiObject): ApiObject
}

const scaleBody = { group: 'autoscaling', version: 'v1', kind: 'Scale', schema: Scale }

function selectorText(value: unknown): string {
  if (typeof value === 'string') return value
  const selector = (value ?? {}) as { [key: string]: unknown }
  const isSelector = 'matchLabels' in selector || 'matchExpressions' in selector
  return labelSelectorOf(isSelector ? selector : { matchLabels: selector as { [key: string]: string } }).toString()
}

/** Stands for absent replicas while a scale is patched: a number that no client asks for. */
const noReplicas = -(2 ** 31) + 1

function scaleView(
  { specReplicas, statusReplicas, selector, strategyValidates }: ScalePaths,
  body: SubresourceView['body'],
): SubresourceView {
  function read(parent: ApiObject, absent: number): ApiObject {
    const { name, namespace, uid, resourceVersion, creationTimestamp } = parent.metadata
    const text = selector && selectorText(getPath(parent, selector))
    const scale = {
      kind: body.kind,
      apiVersion: apiVersionOf(body),
      // In admission the object may have no metadata from the store yet.
      metadata: { name, ...(namespace && { namespace }), uid, ...(resourceVersion && { resourceVersion }), creationTimestamp },
      spec: { replicas: getPath(parent, specReplicas) ?? absent },
      status: { replicas: getPath(parent, statusReplicas) ?? 0, ...(text && { selector: text }) },
    }
    return canonicalise(body.schema, scale as Json, { root: true }) as ApiObject
  }

  return {
    name: 'scale',
    body,
    columns: scaleColumns as ResourceDefinition['columns'],
    partial: false,
    needsNoVersion: true,
    read: (parent) => read(parent, 0),
    unreadable(parent) {
      if (getPath(parent, specReplicas) !== undefined) return undefined
      return internalError(`the spec replicas field ${JSON.stringify(specReplicas)} does not exist`)
    },
    base: (parent) => read(parent, noReplicas),
    write(existing, incoming) {
      const replicas = getPath(incoming, '.spec.replicas') ?? 0
      if (replicas === noReplicas) throw badRequest(`the spec replicas field ${JSON.stringify(specReplicas)} cannot be empty`)
      const errors = new FieldErrors()
      if (!strategyValidates) validateNonNegative(Number(replicas), FieldPath.of('spec', 'replicas'), errors)
      if (errors.list.length > 0) throw invalid(body, existing.metadata.name ?? '', errors.list)
      const scaled = structuredClone(existing)
      setPath(scaled, specReplicas, replicas)
      return scaled
    },
  }
}

/** The views of a resource by subresource name; '' is the main resource. */
export function viewsOf(definition: ResourceDefinition): ReadonlyMap<string, SubresourceView> {
  const body = definition
  const views: SubresourceView[] = [{ name: '', body, ...mainView(definition) }]
  if (definition.status) views.push({ name: 'status', body, tables: definition.statusTables !== false, ...statusView(definition) })
  if (definition.scale) views.push(scaleView(definition.scale, scaleBody))
  for (const { name, strategy } of definition.subresources)
    if (strategy) views.push({ name, body, tables: false, ...strategyView(strategy) })
  return new Map(views.map((view) => [view.name, view]))
}
