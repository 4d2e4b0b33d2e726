/** Type-checks the expressions of a ValidatingAdmissionPolicy (policy/validating/typechecking.go). */
import type { CelType } from '../../cel/types.ts'
import type { Steps } from '../../common/steps.ts'
import type { Infer } from '../../schema/model.ts'
import { createPolicyCompiler, variableType } from './policy-compiler.ts'
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

/** Finds the error of an expression for one kind, in the status format. */
type Finder = (expression: string) => string | undefined

/** Compiles the variables with the types of a kind, once for all expressions. */
function* finderOf(spec: Spec, kind: CheckedKind, params: CelType | undefined): Steps<Finder> {
  const compiler = createPolicyCompiler({ object: kind.type, ...(params && { params }) })
  const scope = { params: spec.paramKind != null, authorizer: true, variables: compiler.variables }
  for (const { name, expression } of spec.variables ?? []) {
    compiler.declare(name, variableType(compiler.compile(expression, scope)))
    yield
  }
  return (expression) => {
    const compiled = compiler.compile(expression, scope)
    return 'issues' in compiled ? `${textOf(kind)}: ${compiled.issues.replace(/^compilation failed: /, '')}\n` : undefined
  }
}

/** Warnings by expression, in the order of validations and messages. */
export function* checkTypes(spec: Spec, types: KindTypes): Steps<ExpressionWarning[]> {
  const { apiVersion = '', kind: paramKind = '' } = spec.paramKind ?? {}
  const params = spec.paramKind == null ? undefined : types.ofKind(apiVersion, paramKind)
  const finders: Finder[] = []
  for (const kind of kindsOf(spec, types)) finders.push(yield* finderOf(spec, kind, params))
  const warnings: ExpressionWarning[] = []
  for (const [index, { expression, messageExpression }] of (spec.validations ?? []).entries())
    for (const [field, text] of Object.entries({ expression, messageExpression })) {
      if (!text) continue
      const findings: string[] = []
      for (const find of finders) {
        const finding = find(text)
        if (finding !== undefined) findings.push(finding)
        yield
      }
      if (findings.length > 0) warnings.push({ fieldRef: `spec.validations[${index}].${field}`, warning: findings.join('\n') })
    }
  return warnings
}
