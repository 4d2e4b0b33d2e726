/** Sets the pull policy Always, so that only users with access to an image can run it (plugin/pkg/admission/alwayspullimages). */

import { forbidden } from '../../answers/status.ts'
import type { ApiObject } from '../../resources/definition.ts'
import type { AdmissionAttributes, AdmissionPlugin } from '../attributes.ts'
import type { PluginContext } from '../context.ts'
import { isAbout, specOf } from './about.ts'

interface Container {
  readonly image?: string
  imagePullPolicy?: string
}

interface Volume {
  readonly image?: { pullPolicy?: string } | null
}

const lists = ['initContainers', 'containers', 'ephemeralContainers'] as const
type Lists = { readonly [list in (typeof lists)[number]]?: readonly Container[] | null } & { readonly volumes?: readonly Volume[] | null }

const containersOf = (pod: ApiObject) =>
  lists.flatMap((list) => (specOf<Lists>(pod)[list] ?? []).map((container, index) => ({ container, path: `spec.${list}[${index}]` })))
const imageVolumesOf = (pod: ApiObject) =>
  (specOf<Lists>(pod).volumes ?? []).flatMap(({ image }, index) => (image ? [{ image, path: `spec.volumes[${index}].image` }] : []))

/** False for updates without new images. */
function concerns(attributes: AdmissionAttributes): attributes is AdmissionAttributes & { readonly object: ApiObject } {
  const { object, oldObject } = attributes
  if (!isAbout(attributes, 'pods') || object === undefined) return false
  if (oldObject === undefined) return true
  const known = new Set(containersOf(oldObject).map(({ container }) => container.image))
  return containersOf(object).some(({ container }) => !known.has(container.image))
}

export function alwaysPullImages(_context: PluginContext): AdmissionPlugin {
  return {
    name: 'AlwaysPullImages',
    operations: ['CREATE', 'UPDATE'],
    resources: [{ group: '', resource: 'pods' }],
    mutate(attributes) {
      if (!concerns(attributes)) return
      for (const { container } of containersOf(attributes.object)) container.imagePullPolicy = 'Always'
      for (const { image } of imageVolumesOf(attributes.object)) image.pullPolicy = 'Always'
    },
    validate(attributes) {
      if (!concerns(attributes)) return
      const { groupResource, name, object } = attributes
      const policies = [
        ...containersOf(object).map(({ container, path }) => ({
          path: `${path}.imagePullPolicy`,
          policy: container.imagePullPolicy ?? '',
        })),
        ...imageVolumesOf(object).map(({ image, path }) => ({ path: `${path}.pullPolicy`, policy: image.pullPolicy ?? '' })),
      ]
      for (const { path, policy } of policies)
        if (policy !== 'Always')
          throw forbidden(groupResource, name, `${path}: Unsupported value: ${JSON.stringify(policy)}: supported values: "Always"`)
    },
  }
}
