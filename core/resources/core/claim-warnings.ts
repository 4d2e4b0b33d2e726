/** Warnings about persistent volume claims and persistent volumes (pkg/api/persistentvolume, persistentvolumeclaim). */
import { FieldPath } from '../../schema/field-path.ts'
import type { HookContext, Infer } from '../../schema/model.ts'
import { boundedWarnings } from '../warnings.ts'
import { nodeSelectorTermWarnings } from './node-label-warnings.ts'
import type { PersistentVolume as VolumeSchema } from './persistentvolume.ts'
import type { PersistentVolumeClaim as ClaimSchema } from './persistentvolumeclaim.ts'
import { claimSpecWarnings, goneVolumeWarnings } from './volume-warnings.ts'

type Claim = Infer<typeof ClaimSchema>
type Volume = Infer<typeof VolumeSchema>

const spec = FieldPath.of('spec')
const storageClass = ['volume.beta.<labels>/storage-class', 'deprecated since v1.8; use "storageClassName" attribute instead'] as const
const mountOptions = ['volume.beta.<labels>/mount-options', 'deprecated since v1.31; use "mountOptions" attribute instead'] as const

interface Annotated {
  readonly metadata?: { readonly annotations?: { readonly [key: string]: string } | undefined } | undefined
}

function* annotationWarnings(
  { metadata }: Annotated,
  rows: readonly (readonly [key: string, message: string])[],
  { platform }: HookContext,
): Iterable<string> {
  for (const [key, message] of rows) {
    const name = platform.name(key)
    if (metadata?.annotations?.[name] !== undefined) yield `metadata.annotations[${name}]: ${message}`
  }
}

export function claimWarnings(claim: Claim, _old: Claim | undefined, context: HookContext): string[] {
  return boundedWarnings([...annotationWarnings(claim, [storageClass], context), ...claimSpecWarnings(claim.spec, spec)])
}

export const persistentVolumeWarnings = (volume: Volume, _old: Volume | undefined, context: HookContext) =>
  boundedWarnings(volumeWarnings(volume, context))

function* volumeWarnings(volume: Volume, context: HookContext): Iterable<string> {
  yield* annotationWarnings(volume, [storageClass, mountOptions], context)
  if (volume.spec === undefined) return
  if (volume.spec.persistentVolumeReclaimPolicy === 'Recycle') {
    const advice = 'Instead, the recommended approach is to use dynamic provisioning.'
    yield `spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. ${advice}`
  }
  const terms = spec.child('nodeAffinity').child('required').child('nodeSelectorTerms')
  for (const [index, term] of (volume.spec.nodeAffinity?.required?.nodeSelectorTerms ?? []).entries()) {
    yield* nodeSelectorTermWarnings(term, false, terms.index(index), context.platform)
  }
  yield* goneVolumeWarnings(volume.spec, () => spec)
}
