/** Namespaces: finalizer for their content, label with their name, and phase. */
import type { FieldErrors } from '../../schema/field-error.ts'
import { FieldPath } from '../../schema/field-path.ts'
import { isLabel } from '../../schema/formats/name-formats.ts'
import type { HookContext, Infer } from '../../schema/model.ts'
import { validateFinalizer } from '../../schema/object-meta.ts'
import { validateFormat } from '../validation.ts'
import type { Namespace as NamespaceSchema } from './namespace.ts'

type Namespace = Infer<typeof NamespaceSchema>

export function labelWithName({ metadata }: Namespace, { platform }: HookContext): void {
  if (!metadata?.name) return
  metadata.labels = { ...metadata.labels, [platform.name('<labels>/metadata.name')]: metadata.name }
}

export function prepareNamespace(namespace: Namespace, context: HookContext): void {
  const { finalizer } = context.platform
  const finalizers = namespace.spec?.finalizers ?? []
  namespace.status = { phase: 'Active' }
  namespace.spec = { finalizers: finalizers.includes(finalizer) ? finalizers : [...finalizers, finalizer] }
  // A generated name becomes a label when it has been found valid; one that a client gave is a label by default.
  const { name = '', generateName } = namespace.metadata ?? {}
  if (!generateName || isLabel(name)) labelWithName(namespace, context)
}

/** Only `/finalize` writes the spec's finalizers. */
export function keepFinalizers(namespace: Namespace, old: Namespace, context: HookContext): void {
  namespace.spec = { ...old.spec }
  labelWithName(namespace, context)
}

export function validateSpecFinalizer(name: string, path: FieldPath, errors: FieldErrors, { platform }: HookContext): void {
  validateFormat(name, 'qualifiedName', path, errors)
  validateFinalizer(name, path, errors, platform)
}

export function validateNamespace({ spec }: Namespace, errors: FieldErrors, context: HookContext): void {
  const path = FieldPath.of('spec', 'finalizers')
  for (const name of spec?.finalizers ?? []) validateSpecFinalizer(name, path, errors, context)
}

/** The phase must correspond to the deletion timestamp. */
export function validateNamespaceStatus({ metadata, status }: Namespace, _old: Namespace, errors: FieldErrors): void {
  const path = FieldPath.of('status', 'Phase')
  const phase = status?.phase ?? ''
  if (metadata?.deletionTimestamp) {
    if (phase !== 'Terminating') errors.invalid(path, phase, "may only be 'Terminating' if `deletionTimestamp` is not empty")
  } else if (phase !== 'Active') errors.invalid(path, phase, "may only be 'Active' if `deletionTimestamp` is empty")
}
