/** Names that are reserved for webhooks and policies from manifest files (KEP-5793): the API does not create them with the feature gate. */
import type { Platform } from '../../platform.ts'
import type { FieldErrors } from '../../schema/field-error.ts'
import { FieldPath } from '../../schema/field-path.ts'
import type { HookContext } from '../../schema/model.ts'

export interface Named {
  readonly metadata?: { readonly name?: string | undefined } | undefined
}

/** End of the names of objects from manifests. */
export const staticSuffix = (platform: Platform) => `.static.${platform.domain}`

const gate = 'ManifestBasedAdmissionControlConfig'
const reserved = (suffix: string) =>
  `names ending with ${JSON.stringify(suffix)} are reserved for static manifest-based configurations and cannot be managed via the API`

/** For creates. */
export function validateStaticName({ metadata }: Named, errors: FieldErrors, { platform, settings }: HookContext): void {
  const { name = '' } = metadata ?? {}
  const suffix = staticSuffix(platform)
  if (settings.enabled(gate) && name.endsWith(suffix)) errors.invalid(FieldPath.of('metadata', 'name'), name, reserved(suffix))
}

/** Warnings for creates; without the gate the name is allowed. */
export function staticNameWarnings({ metadata }: Named, old: Named | undefined, { platform, settings }: HookContext): readonly string[] {
  const suffix = staticSuffix(platform)
  if (old !== undefined || settings.enabled(gate) || metadata?.name?.endsWith(suffix) !== true) return []
  return [`metadata.name: ${reserved(suffix)}`]
}

/** Of kinds without other rules. */
export const staticNameStrategy = {
  validate(object: Named, errors: FieldErrors, context: HookContext, old?: Named): void {
    if (old === undefined) validateStaticName(object, errors, context)
  },
  warnings: staticNameWarnings,
}
