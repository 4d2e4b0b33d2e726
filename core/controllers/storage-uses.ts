/** Storage objects with in-use protection and their users, as a table. */
import type { PersistentVolumeClaim } from '../resources/core/persistentvolumeclaim.ts'
import type { Pod } from '../resources/core/pod.ts'
import type { ApiObject } from '../resources/definition.ts'
import type { Infer } from '../schema/model.ts'

/** One object that is used. */
export interface Use {
  readonly name: string
  /** Required UID of the used object's controller; absent: any. */
  readonly owner?: string
}

export interface Protection {
  readonly group: string
  readonly plural: string
  readonly finalizer: string
  /** Whether the object's own status says that it is in use. */
  readonly busy?: (object: ApiObject) => boolean
  /** Users, of the core group; namespaced users refer to objects in their own namespace or cluster-scoped ones. */
  readonly users: readonly { readonly plural: string; uses(user: ApiObject): readonly Use[] }[]
}

type PodFields = Infer<typeof Pod>

type ClaimFields = Infer<typeof PersistentVolumeClaim>

/** Pods use their claims from scheduling until deletion, in whatever phase. */
function claimsOf(pod: ApiObject): readonly Use[] {
  const { name: podName = '', uid = '', deletionTimestamp, deletionGracePeriodSeconds } = pod.metadata
  const { nodeName, volumes = [] } = (pod as PodFields).spec ?? {}
  if (!nodeName) return []
  // Its ephemeral claims may wait for the pod, and the pod's finalizers for the claims: a finished pod doesn't use them.
  const ended = deletionTimestamp !== undefined && deletionGracePeriodSeconds === 0
  return volumes.flatMap(({ name, persistentVolumeClaim, ephemeral }): Use[] => {
    if (persistentVolumeClaim) return [{ name: persistentVolumeClaim.claimName }]
    return ephemeral && !ended ? [{ name: `${podName}-${name}`, owner: uid }] : []
  })
}

const classes = (...names: readonly (string | undefined)[]): readonly Use[] => names.flatMap((name) => (name ? [{ name }] : []))

/** By the names of `--controllers`. */
export const protections = {
  'persistentvolume-protection': {
    group: '',
    plural: 'persistentvolumes',
    finalizer: '<labels>/pv-protection',
    busy: (volume) => (volume as { status?: { phase?: string } }).status?.phase === 'Bound',
    users: [],
  },
  'persistentvolumeclaim-protection': {
    group: '',
    plural: 'persistentvolumeclaims',
    finalizer: '<labels>/pvc-protection',
    users: [{ plural: 'pods', uses: claimsOf }],
  },
  'volumeattributesclass-protection': {
    group: 'storage.<domain>',
    plural: 'volumeattributesclasses',
    finalizer: '<labels>/vac-protection',
    users: [
      { plural: 'persistentvolumes', uses: (volume) => classes((volume as ClaimFields).spec?.volumeAttributesClassName) },
      {
        plural: 'persistentvolumeclaims',
        uses(claim) {
          const { spec, status } = claim as ClaimFields
          const { currentVolumeAttributesClassName: current, modifyVolumeStatus: change } = status ?? {}
          return classes(spec?.volumeAttributesClassName, current, change?.targetVolumeAttributesClassName)
        },
      },
    ],
  },
} satisfies { readonly [name: string]: Protection }
