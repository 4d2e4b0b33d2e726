/** Warnings about volumes: deprecated and removed types, and fractional bytes. */
import type { FieldPath } from '../../schema/field-path.ts'
import type { ClusterSettings, Infer } from '../../schema/model.ts'
import { byteWarnings } from './byte-warnings.ts'
import type { Volume as VolumeSchema } from './volume.ts'

type Volume = Infer<typeof VolumeSchema>

/** Member, message, and name in the message if different. */
const gone: readonly (readonly [member: keyof Volume & string, message: string, shownAs?: string])[] = [
  ['photonPersistentDisk', 'deprecated in v1.11, non-functional in v1.16+'],
  ['scaleIO', 'deprecated in v1.16, non-functional in v1.22+'],
  ['flocker', 'deprecated in v1.22, non-functional in v1.25+'],
  ['storageos', 'deprecated in v1.22, non-functional in v1.25+', 'storageOS'],
  ['quobyte', 'deprecated in v1.22, non-functional in v1.25+'],
  ['glusterfs', 'deprecated in v1.25, non-functional in v1.26+'],
  ['cephfs', 'deprecated in v1.28, non-functional in v1.31+'],
  ['rbd', 'deprecated in v1.28, non-functional in v1.31+'],
]

/** Warnings about deprecated types of pod volumes and persistent volumes, which have the same members. */
export function* goneVolumeWarnings(volume: { readonly [member: string]: unknown }, path: () => FieldPath): Iterable<string> {
  for (const [member, message, shownAs] of gone) {
    if (volume[member] !== undefined) yield `${path().child(shownAs ?? member)}: ${message}`
  }
}

/** Members of volumes that can have warnings. */
const told = new Set([...gone.map(([member]) => member), 'gitRepo', 'ephemeral'])

/** @param path called when there is a warning */
export function* volumeWarnings(volume: Volume, path: () => FieldPath, settings: ClusterSettings): Iterable<string> {
  if (!Object.keys(volume).some((member) => told.has(member))) return
  yield* goneVolumeWarnings(volume, path)
  if (volume.gitRepo) {
    const off = settings.enabled('GitRepoVolumeDriver') ? '' : ', and disabled by default in v1.33+'
    yield `${path().child('gitRepo')}: deprecated in v1.11${off}`
  }
  const claim = volume.ephemeral?.volumeClaimTemplate
  if (claim) yield* claimSpecWarnings(claim.spec, path().child('ephemeral').child('volumeClaimTemplate').child('spec'))
}

interface ClaimSpec {
  readonly resources?: { readonly requests?: Amounts | undefined; readonly limits?: Amounts | undefined } | undefined
}
type Amounts = { readonly [resource: string]: string }

export function* claimSpecWarnings(spec: ClaimSpec | undefined, path: FieldPath): Iterable<string> {
  for (const side of ['requests', 'limits'] as const) {
    yield* byteWarnings(spec?.resources?.[side], ['storage'], path, 'resources', side)
  }
}
