/** Type-checks the expressions of a ValidatingAdmissionPolicy (policy/validating/typechecking.go). */
import type { CelType } from '../../cel/types.ts'
import type { Infer } from '../../schema/model.ts'
import { createPolicyCompiler } from './policy-compiler.ts'
import type { ValidatingAdmissionPolicySpec } from './validatingadmissionpolicy.ts'

type Spec = Infer<typeof ValidatingAdmissionPolicySpec>

/** A kind with its CEL type. */
export interface CheckedKind {
  readonly group: string
  readonly version: string
  readonly kind: string
  readonly type: CelType
}

/** Looks up kinds and their types; undefined: not served, or without schema. */
export interface KindTypes {
  ofResource(group: string, version: string, resource: string): CheckedKind | undefined
  ofKind(apiVersion: string, kind: string): CelType | undefined
}

export interface ExpressionWarning {
  readonly fieldRef: string
  readonly warning: string
}

/** Maximum kinds per policy. */
const maxKinds = 10

const hasWildcard = (texts: readonly string[]) => texts.some((text) => text.includes('*'))
const textOf = ({ group, version, kind }: CheckedKind) => `${group}/${version}, Kind=${kind}`

/** The kinds in the rules, excluding wildcards and subresources, in order. */
function kindsOf({ matchConstraints }: Spec, types: KindTypes): CheckedKind[] {
  const found = new Map<string, CheckedKind>()
  for (const { apiGroups = [], apiVersions = [], resources = [] } of matchConstraints?.resourceRules ?? []) {
    if (hasWildcard(apiGroups) || hasWildcard(apiVersions)) continue
    const plain = resources.filter((resource) => !/[*/]/.test(resource)).toSorted()
    let left = maxKinds
    for (const group of apiGroups.toSorted())
      for (const version of apiVersions.toSorted())
        for (const resource of plain) {
          const kind = left > 0 ? types.ofResource(group, version, resource) : undefined
          if (kind === undefined) continue
          found.set(textOf(kind), kind)
          left--
        }
  }
  const key = ({ group, version, kind }: CheckedKind) => `${group}\0${version}\0${kind}`
  return [...found.values()].sort((a, b) => (key(a) < key(b) ? -1 : 1))
}

/** Errors of an expression for each kind, in the status format; undefined: none. */
function warningOf(spec: Spec, expression: string, kinds: readonly CheckedKind[], params: CelType | undefined): string | undefined {
  const scope = { params: spec.paramKind != null, authorizer: true }
  const findings = kinds.flatMap((kind) => {
    const compiler = createPolicyCompiler({ object: kind.type, ...(params && { params }) })
    for (const variable of spec.variables ?? []) compiler.declare(variable.name, variable.expression, scope)
    const compiled = compiler.compile(expression, { ...scope, variables: compiler.variables })
    return 'issues' in compiled ? [`${textOf(kind)}: ${compiled.issues.replace(/^compilation failed: /, '')}\n`] : []
  })
  return findings.length === 0 ? undefined : findings.join('\n')
}

/** Warnings by expression, in the order of validations and messages. */
export function checkTypes(spec: Spec, types: KindTypes): ExpressionWarning[] {
  const kinds = kindsOf(spec, types)
  const { apiVersion = '', kind = '' } = spec.paramKind ?? {}
  const params = spec.paramKind == null ? undefined : types.ofKind(apiVersion, kind)
  return (spec.validations ?? []).flatMap(({ expression, messageExpression }, index) =>
    Object.entries({ expression, messageExpression }).flatMap(([field, text]) => {
      const warning = text ? warningOf(spec, text, kinds, params) : undefined
      return warning === undefined ? [] : [{ fieldRef: `spec.validations[${index}].${field}`, warning }]
    }),
  )
}
