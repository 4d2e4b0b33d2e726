/** Seccomp and AppArmor annotations, which fields have replaced: one that is given must not differ from its field. */
import type { FieldErrors } from '../../schema/field-error.ts'
import type { FieldPath } from '../../schema/field-path.ts'
import type { HookContext, Infer } from '../../schema/model.ts'
import { eachContainer } from './os-validation.ts'
import type { PodSpec as PodSpecSchema } from './pod-spec.ts'

type PodSpec = Infer<typeof PodSpecSchema>
type Annotations = { readonly [key: string]: string }

interface Profile {
  readonly type: string
  readonly localhostProfile?: string | undefined
}

interface Mechanism {
  readonly title: 'seccomp' | 'apparmor'
  readonly field: 'seccompProfile' | 'appArmorProfile'
  /** In front of the container's name. */
  readonly ofContainer: string
  /** Values of the annotation for each type without a profile of the host. */
  readonly values: { readonly [type: string]: readonly string[] }
}

export const seccomp = {
  title: 'seccomp',
  field: 'seccompProfile',
  ofPod: 'seccomp.security.alpha.<labels>/pod',
  ofContainer: 'container.seccomp.security.alpha.<labels>/',
  values: { Unconfined: ['unconfined'], RuntimeDefault: ['runtime/default', 'docker/default'] },
} as const satisfies Mechanism & { ofPod: string }

export const appArmor = {
  title: 'apparmor',
  field: 'appArmorProfile',
  ofContainer: 'container.apparmor.security.beta.<labels>/',
  values: { Unconfined: ['unconfined'], RuntimeDefault: ['runtime/default'] },
} as const satisfies Mechanism

const local = 'localhost/'

function validateMatch({ title, values }: Mechanism, annotation: string, profile: Profile, path: FieldPath, errors: FieldErrors): void {
  const { type, localhostProfile } = profile
  const accepted = type === 'Localhost' ? annotation.startsWith(local) : (values[type]?.includes(annotation) ?? true)
  if (!accepted) errors.forbidden(path.child('type'), `${title} type in annotation and field must match`)
  else if (type === 'Localhost' && annotation.slice(local.length) !== localhostProfile)
    errors.forbidden(path.child('localhostProfile'), `${title} profile in annotation and field must match`)
}

/** Validates new pods, and pod templates. A container without AppArmor profile has that of its pod. */
export function validateProfileAnnotations(
  annotations: Annotations | undefined,
  spec: PodSpec,
  path: FieldPath,
  errors: FieldErrors,
  { platform }: HookContext,
): void {
  if (annotations === undefined) return
  const check = (mechanism: Mechanism, key: string, profile: Profile | undefined, at: FieldPath) => {
    const annotation = annotations[platform.name(key)]
    if (annotation === undefined || profile === undefined) return
    validateMatch(mechanism, annotation, profile, at.child('securityContext').child(mechanism.field), errors)
  }
  check(seccomp, seccomp.ofPod, spec.securityContext?.seccompProfile, path)
  eachContainer(spec, path, ({ name, securityContext }, at) => {
    check(seccomp, `${seccomp.ofContainer}${name}`, securityContext?.seccompProfile, at)
  })
  if (spec.os?.name === 'windows') return
  eachContainer(spec, path, ({ name, securityContext }, at) => {
    const profile = securityContext?.appArmorProfile ?? spec.securityContext?.appArmorProfile
    check(appArmor, `${appArmor.ofContainer}${name}`, profile, at)
  })
}
