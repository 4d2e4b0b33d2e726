/** Validation of pod annotations that fields have replaced, or that the control plane interprets. */
import type { FieldErrors } from '../../schema/field-error.ts'
import { FieldPath } from '../../schema/field-path.ts'
import type { HookContext, Infer } from '../../schema/model.ts'
import { AnnotationFault, readListAnnotation } from '../json-annotation.ts'
import { validateFormat } from '../validation.ts'
import { eachContainer } from './os-validation.ts'
import type { PodSpec as PodSpecSchema } from './pod-spec.ts'
import { appArmor, seccomp } from './profile-annotations.ts'
import { Toleration } from './scheduling.ts'
import { validateTolerations } from './scheduling-validation.ts'

type PodSpec = Infer<typeof PodSpecSchema>
type Annotations = { [key: string]: string }

const mirror = '<labels>/config.mirror'
const deletionCost = 'controller.<labels>/pod-deletion-cost'
const tolerations = 'scheduler.alpha.<labels>/tolerations'
const maxInt32 = 2 ** 31

function isInt32(text: string): boolean {
  if (!/^(0|[1-9]\d{0,9}|-[1-9]\d{0,9})$/.test(text)) return false
  return Number(text) >= -maxInt32 && Number(text) < maxInt32
}

function validateSeccomp(profile: string, path: FieldPath, errors: FieldErrors): void {
  const local = 'localhost/'
  if (profile.startsWith(local)) validateFormat(profile.slice(local.length), 'localPath', path, errors)
  else if (!['runtime/default', 'docker/default', 'unconfined'].includes(profile)) {
    errors.invalid(path, profile, 'must be a valid seccomp profile')
  }
}

function validateAppArmor(profile: string, path: FieldPath, errors: FieldErrors): void {
  if (['', 'runtime/default', 'unconfined'].includes(profile) || profile.startsWith('localhost/')) return
  errors.invalid(path, profile, `invalid AppArmor profile name: ${JSON.stringify(profile)}`)
}

function validateTolerationsAnnotation(text: string, path: FieldPath, errors: FieldErrors, context: HookContext): void {
  const key = context.platform.name(tolerations)
  try {
    validateTolerations(readListAnnotation(text, Toleration, '[]core.Toleration'), path.child(key), errors, context)
  } catch (error) {
    if (!(error instanceof AnnotationFault)) throw error
    errors.invalid(path, key, error.message)
  }
}

export function validatePodAnnotations(
  annotations: Annotations,
  spec: PodSpec,
  path: FieldPath,
  errors: FieldErrors,
  context: HookContext,
): void {
  const { platform, settings } = context
  const value = (key: string) => annotations[platform.name(key)]
  const mirrored = value(mirror)
  if (mirrored !== undefined && !spec.nodeName) {
    errors.invalid(path.key(platform.name(mirror)), mirrored, 'must set spec.nodeName if mirror pod annotation is set')
  }
  const tolerated = value(tolerations)
  if (tolerated) validateTolerationsAnnotation(tolerated, path, errors, context)
  const cost = value(deletionCost)
  if (cost !== undefined && !isInt32(cost) && settings.enabled('PodDeletionCost')) {
    errors.forgivable('deletion cost', () => errors.invalid(path.key(platform.name(deletionCost)), cost, 'must be a 32bit integer'))
  }
  const ofPod = value(seccomp.ofPod)
  if (ofPod !== undefined) validateSeccomp(ofPod, path.child(platform.name(seccomp.ofPod)), errors)
  const containers = new Set<string>()
  eachContainer(spec, path, ({ name }) => containers.add(name))
  const [seccompPrefix, appArmorPrefix] = [platform.name(seccomp.ofContainer), platform.name(appArmor.ofContainer)]
  for (const [key, profile] of Object.entries(annotations)) {
    if (key.startsWith(seccompPrefix)) validateSeccomp(profile, path.child(key), errors)
    if (!key.startsWith(appArmorPrefix)) continue
    const container = key.slice(appArmorPrefix.length)
    if (!containers.has(container)) errors.invalid(path.key(key), container, 'container not found')
    validateAppArmor(profile, path.key(key), errors)
  }
}

/** Annotations that determine how a pod runs are immutable. */
export function validatePodAnnotationUpdates(
  annotations: Annotations,
  old: Annotations,
  errors: FieldErrors,
  { platform }: HookContext,
): void {
  const path = FieldPath.of('metadata', 'annotations')
  const isAppArmor = (key: string) => key.startsWith(platform.name(appArmor.ofContainer))
  const isMirror = (key: string) => key === platform.name(mirror)
  for (const [key, value] of Object.entries(old)) {
    if (annotations[key] === value) continue
    if (isAppArmor(key)) errors.forbidden(path.key(key), 'may not remove or update AppArmor annotations')
    if (isMirror(key)) errors.forbidden(path.key(key), 'may not remove or update mirror pod annotation')
  }
  for (const key of Object.keys(annotations)) {
    if (old[key] !== undefined) continue
    if (isAppArmor(key)) errors.forbidden(path.key(key), 'may not add AppArmor annotations')
    if (isMirror(key)) errors.forbidden(path.key(key), 'may not add mirror pod annotation')
  }
}
