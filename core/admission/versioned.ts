import type { ApiObject } from '../resources/definition.ts'
import { equal } from '../schema/json/equal.ts'
import type { Json, JsonObject } from '../schema/model.ts'
import type { AdmissionAttributes, GroupVersionKind } from './attributes.ts'
import type { Invocation } from './matching/rules.ts'

/** The objects of a request in one version. */
export interface VersionedObjects {
  readonly object: ApiObject | undefined
  readonly oldObject: ApiObject | undefined
}

/** A request in the version of the current webhook or policy. Changes are converted to the next one's version, and finally to the stored version. */
export class VersionedRequest implements VersionedObjects {
  readonly attributes: AdmissionAttributes
  object: ApiObject | undefined
  oldObject: ApiObject | undefined
  /** Version of the current webhook. */
  invocation: Invocation
  #kind: GroupVersionKind | undefined
  #dirty = false

  constructor(attributes: AdmissionAttributes) {
    const { resource, kind, object, oldObject } = attributes
    this.attributes = attributes
    this.invocation = { resource, kind }
    this.object = object
    this.oldObject = oldObject
  }

  /** Converts the objects, unless they are in this version already. */
  async in(kind: GroupVersionKind): Promise<VersionedObjects> {
    const known = this.#kind
    if (known && known.group === kind.group && known.version === kind.version && known.kind === kind.kind) return this
    await this.finish()
    const { object, oldObject, versions } = this.attributes
    this.object = object && (await versions.convert(object, kind))
    this.oldObject = oldObject && (await versions.convert(oldObject, kind))
    this.#kind = kind
    return this
  }

  /** Returns whether this changes the object. */
  replace(object: ApiObject): boolean {
    const changed = this.attributes.isStamped === true || !equal(this.object as Json, object as Json)
    this.attributes.isStamped = false
    this.object = object
    this.#dirty = true
    return changed
  }

  /** Throws an Error when the value is malformed. */
  decode(value: JsonObject, kind: GroupVersionKind): ApiObject {
    return this.attributes.versions.decode(value, kind)
  }

  /** Stores the changed object in the attributes, in its original version. */
  async finish(): Promise<void> {
    const { attributes } = this
    if (!this.#dirty || attributes.object === undefined || this.object === undefined) return
    const { apiVersion, kind } = attributes.object
    const [version = '', group = ''] = apiVersion.split('/').reverse()
    attributes.object = await attributes.versions.convert(this.object, { group, version, kind })
    this.#dirty = false
  }
}
