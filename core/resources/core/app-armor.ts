/** AppArmor annotations of pods, superseded by fields (KEP-24, version skew). */

import { FieldPath } from '../../schema/field-path.ts'
import { equal } from '../../schema/json/equal.ts'
import type { HookContext, Infer, Json } from '../../schema/model.ts'
import { eachContainer } from './os-validation.ts'
import type { PodSpec as PodSpecSchema } from './pod-spec.ts'
import { useAppArmor } from './pod-warnings.ts'
import { appArmor } from './profile-annotations.ts'
import type { AppArmorProfile as ProfileSchema } from './security.ts'

type PodSpec = Infer<typeof PodSpecSchema>
type Profile = Infer<typeof ProfileSchema>

const maxNameLength = 4095

/** The profile in an annotation; undefined if no field value corresponds. */
function profileOf(annotation: string): Profile | undefined {
  if (annotation === 'unconfined') return { type: 'Unconfined' }
  if (annotation === 'runtime/default') return { type: 'RuntimeDefault' }
  const start = 'localhost/'
  const name = annotation.startsWith(start) ? annotation.slice(start.length) : ''
  const isValid = name !== '' && name.trim() === name && name.length <= maxNameLength
  return isValid ? { type: 'Localhost', localhostProfile: name } : undefined
}

/** Sets the field of containers that have only an annotation, unless the pod's field is equal; warns the client. */
export function takeAppArmorAnnotations(
  spec: PodSpec,
  annotations: { readonly [key: string]: string } | undefined,
  { platform, warn }: HookContext,
): void {
  if (annotations === undefined || spec.os?.name === 'windows') return
  const prefix = platform.name(appArmor.ofContainer)
  const ofPod = spec.securityContext?.appArmorProfile
  eachContainer(spec, FieldPath.root, (container) => {
    const annotation = annotations[`${prefix}${container.name}`]
    if (annotation === undefined || container.securityContext?.appArmorProfile) return
    const profile = profileOf(annotation)
    if (profile && ofPod && equal(profile as Json, ofPod as Json)) return
    if (profile) container.securityContext = { ...container.securityContext, appArmorProfile: profile }
    warn?.(`${FieldPath.of('metadata', 'annotations').key(`${prefix}${container.name}`)}: ${useAppArmor}`)
  })
}
