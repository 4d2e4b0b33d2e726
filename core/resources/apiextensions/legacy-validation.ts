/** Definitions from before schemas had to be structural: they keep unknown fields, and need not change. */
import { FieldErrors } from '../../schema/field-error.ts'
import { FieldPath } from '../../schema/field-path.ts'
import type { Definition } from './definition-validation.ts'
import { findUnsupported, type SchemaNode, someNode } from './schema-nodes.ts'
import { validateStructural } from './structural-validation.ts'
import { schemaOf } from './version-validation.ts'

type Spec = Definition['spec']

const schemasOf = ({ versions }: Spec): SchemaNode[] => (versions ?? []).map(schemaOf).filter((schema) => schema !== undefined)

function anyNode(spec: Spec, test: (node: SchemaNode) => boolean): boolean {
  return schemasOf(spec).some((schema) => someNode(schema, test))
}

function isStructural(schema: SchemaNode): boolean {
  if (findUnsupported(schema) !== undefined) return false
  const errors = new FieldErrors()
  validateStructural(schema, FieldPath.root, errors)
  return errors.count === 0
}

/** Extensions that require structural schemas. */
const extensions = [
  'x-kubernetes-preserve-unknown-fields',
  'x-kubernetes-embedded-resource',
  'x-kubernetes-int-or-string',
  'x-kubernetes-list-map-keys',
  'x-kubernetes-list-type',
  'x-kubernetes-validations',
] as const

const hasExtensions = (node: SchemaNode) => extensions.some((name) => node[name] !== undefined)
const hasDefault = (node: SchemaNode) => node.default !== undefined

/** Whether an update may have non-structural schemas: the stored definition has some, and the new one does not need structure. */
export function mayBeNonStructural(spec: Spec, old: Spec): boolean {
  if (!spec.preserveUnknownFields || anyNode(spec, (node) => hasDefault(node) || hasExtensions(node))) return false
  return schemasOf(old).some((schema) => !isStructural(schema))
}

/** Defaults require pruning. */
export function validateLegacyDefaults(spec: Spec, path: FieldPath, errors: FieldErrors): void {
  if (spec.preserveUnknownFields && anyNode(spec, hasDefault)) {
    errors.invalid(path, true, 'must be false in order to use defaults in the schema')
  }
}
