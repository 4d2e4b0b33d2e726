/**
 * Setting owner references requires permission to delete the object, and blockOwnerDeletion requires permission to update the owner's
 * finalizers (plugin/pkg/admission/gc).
 */

import { forbidden } from '../../answers/status.ts'
import type { ApiObject, OwnerReference } from '../../resources/definition.ts'
import { equal } from '../../schema/json/equal.ts'
import type { Json } from '../../schema/model.ts'
import type { AdmissionAttributes, AdmissionPlugin } from '../attributes.ts'
import type { PluginContext } from '../context.ts'

const ownersOf = (object: ApiObject | undefined): readonly OwnerReference[] => object?.metadata.ownerReferences ?? []

/** Owners that get blockOwnerDeletion with this write. */
function newlyBlocked(object: ApiObject, old: ApiObject | undefined): OwnerReference[] {
  const before = new Map(ownersOf(old).map((owner) => [owner.uid, owner]))
  return ownersOf(object).filter(({ uid, blockOwnerDeletion }) => blockOwnerDeletion && !before.get(uid)?.blockOwnerDeletion)
}

export function ownerReferencesPermissionEnforcement({ authorizer, resourceOf }: PluginContext): AdmissionPlugin {
  async function checkDeletion(attributes: AdmissionAttributes): Promise<void> {
    const { groupResource, resource, user, namespace, subresource, name } = attributes
    const common = { user, verb: 'delete', isResource: true, path: '', version: resource.version }
    const asked = { ...common, ...groupResource, subresource, name, namespace }
    const { verdict, reason, error } = await authorizer.authorize(asked, attributes)
    if (verdict !== 'allow')
      throw forbidden(groupResource, name, `cannot set an ownerRef on a resource you can't delete: ${reason}, ${error ?? '<nil>'}`)
  }

  /** Whether the user may update finalizers of everything: then the owners need not be known. */
  async function finalizesAll(attributes: AdmissionAttributes): Promise<boolean> {
    const everything = { group: '*', version: '*', resource: '*', subresource: 'finalizers', name: '*', namespace: '' }
    const asked = { user: attributes.user, verb: 'update', isResource: true, path: '', ...everything }
    return (await authorizer.authorize(asked, attributes)).verdict === 'allow'
  }

  async function checkFinalizers(attributes: AdmissionAttributes, owner: OwnerReference): Promise<void> {
    const { groupResource, user, name, namespace } = attributes
    const { apiVersion = '', kind = '' } = owner
    const found = resourceOf(apiVersion, kind)
    if (found === undefined)
      throw forbidden(
        groupResource,
        name,
        `cannot set blockOwnerDeletion in this case because cannot find RESTMapping for APIVersion ${apiVersion} Kind ${kind}: no matches for kind ${JSON.stringify(kind)} in version ${JSON.stringify(apiVersion)}`,
      )
    const { namespaced, ...resource } = found
    const asked = { user, verb: 'update', isResource: true, path: '', ...resource, subresource: 'finalizers', name: owner.name ?? '' }
    const { verdict, reason, error } = await authorizer.authorize({ ...asked, namespace: namespaced ? namespace : '' }, attributes)
    if (verdict !== 'allow')
      throw forbidden(
        groupResource,
        name,
        `cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't set finalizers on: ${reason}, ${error ?? '<nil>'}`,
      )
  }

  async function checkChange(attributes: AdmissionAttributes, object: ApiObject): Promise<void> {
    if (attributes.operation !== 'CREATE') await checkDeletion(attributes)
    const owners = newlyBlocked(object, attributes.oldObject)
    if (owners.length === 0 || (await finalizesAll(attributes))) return
    for (const owner of owners) await checkFinalizers(attributes, owner)
  }

  return {
    name: 'OwnerReferencesPermissionEnforcement',
    operations: ['CREATE', 'UPDATE'],
    validate(attributes) {
      const { groupResource, subresource, object, oldObject } = attributes
      // Node agents report status and don't change owners.
      if (object === undefined || (groupResource.group === '' && groupResource.resource === 'pods' && subresource === 'status')) return
      if (equal(ownersOf(object) as unknown as Json, ownersOf(oldObject) as unknown as Json)) return
      return checkChange(attributes, object)
    },
  }
}
