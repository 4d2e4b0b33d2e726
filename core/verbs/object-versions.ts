import type { GroupVersionKind, ObjectVersions, ServedVersion } from '../admission/attributes.ts'
import type { ServedResource } from '../objects/registry/served.ts'
import { inVersion } from '../resources/converter.ts'
import { type ApiObject, apiVersionOf, type ResourceDefinition } from '../resources/definition.ts'
import { hookContext } from '../schema/cluster.ts'
import { canonicalise } from '../schema/decode.ts'
import { requestBounds } from '../schema/decode-budget.ts'
import { applyDefaults } from '../schema/defaults.ts'
import type { Json } from '../schema/model.ts'
import { definitionIn } from './ownership.ts'
import type { Target, WriteServices } from './services.ts'
import { typedAs } from './type-meta.ts'

const scaleKind: GroupVersionKind = { group: 'autoscaling', version: 'v1', kind: 'Scale' }

/** Kind of a subresource's bodies; undefined: no such subresource. */
function kindOf(definition: ResourceDefinition, subresource: string): GroupVersionKind | undefined {
  const { group, version, kind, subresources, status, scale } = definition
  if (subresource === '' || (subresource === 'status' && status)) return { group, version, kind }
  if (subresource === 'scale' && scale) return scaleKind
  const own = subresources.find(({ name }) => name === subresource)
  return own && { group: own.group ?? group, version: own.version ?? version, kind: own.kind }
}

/** The versions of each resource, which are computed once: matching of admission caches by their array. */
export class EquivalentVersions {
  /** By the table's list of versions, which is the same object until they change, and by subresource. */
  readonly #known = new WeakMap<readonly ServedResource[], Map<string, readonly ServedVersion[]>>()

  of(resources: readonly ServedResource[], subresource: string): readonly ServedVersion[] {
    let known = this.#known.get(resources)
    if (known === undefined) {
      known = new Map()
      this.#known.set(resources, known)
    }
    let versions = known.get(subresource)
    if (versions === undefined) {
      versions = resources.flatMap(({ definition, groupResource }) => {
        const kind = kindOf(definition, subresource)
        return kind ? [{ resource: { ...groupResource, version: definition.version }, kind }] : []
      })
      known.set(subresource, versions)
    }
    return versions
  }
}

/** The served versions of the target's resource, or of its subresource's bodies. */
export function objectVersions(writes: WriteServices, target: Target): ObjectVersions {
  const { resource, view } = target
  /** Absent: the subresource has a kind of its own. */
  const definitionOf = (kind: GroupVersionKind) =>
    view.body.schema === resource.definition.schema ? definitionIn(writes, target, apiVersionOf(kind)) : undefined
  const schemaOf = (kind: GroupVersionKind) => definitionOf(kind)?.schema ?? view.body.schema
  return {
    schemaOf,
    all: () => writes.equivalents.of(writes.table.versionsOf(resource), view.name),
    async convert(object, to) {
      const apiVersion = apiVersionOf(to)
      if (object.apiVersion === apiVersion) return object
      const result = definitionIn(writes, target, apiVersion)
      if (result === undefined) throw new Error(`no conversion of ${object.kind} from ${object.apiVersion} to ${apiVersion}`)
      return inVersion(result, object, target.exchange)
    },
    decode(value, kind) {
      const definition = definitionOf(kind)
      const schema = schemaOf(kind)
      const object = canonicalise(schema, typedAs(value, { ...kind, schema }, writes.platform), {
        root: true,
        bounds: requestBounds,
      }) as ApiObject
      const context = hookContext(writes)
      applyDefaults(schema, object as Json, context)
      definition?.strategy.defaults?.(object as never, context)
      return object
    },
  }
}
