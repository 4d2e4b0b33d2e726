/** Which rules of definitions and which admission policies met an object: a rule that no manifest meets has not been tried. */
import { isObject } from '../../../core/schema/json/is-object.ts'
import type { Json, JsonObject } from '../../../core/schema/model.ts'
import { groupOf, isDefinition } from './kinds.ts'
import type { Manifest } from './manifests.ts'

/** A rule or a policy that no manifest met. */
export interface Unexercised {
  /** `CustomResourceDefinition widgets.example.com`, `ValidatingAdmissionPolicy names`. */
  readonly owner: string
  /** Version, path and text of a rule; absent for a policy. */
  readonly rule?: string
}

interface Rule extends Unexercised {
  readonly isTransition: boolean
  isMet: boolean
}

interface Level {
  readonly rules: readonly Rule[]
  readonly properties: ReadonlyMap<string, Level>
  /** Of the items of a list, or of the values of a map. */
  readonly inner: Level | undefined
}

const transition = /\boldSelf\b/

interface Schema {
  readonly properties?: { readonly [name: string]: Schema }
  readonly items?: Schema
  readonly additionalProperties?: Schema | boolean
  readonly 'x-kubernetes-validations'?: readonly { readonly rule: string }[]
}

/** The rules of a schema by their place; undefined: there are none in it. Those that are found are added to `found`. */
function levelOf(schema: Schema, owner: string, path: string, found: Rule[]): Level | undefined {
  const rules = (schema['x-kubernetes-validations'] ?? []).map(
    ({ rule }): Rule => ({ owner, rule: `${path}: ${rule}`, isTransition: transition.test(rule), isMet: false }),
  )
  for (const rule of rules) found.push(rule)
  const properties = new Map<string, Level>()
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const level = levelOf(property, owner, `${path}.${name}`, found)
    if (level) properties.set(name, level)
  }
  const values = schema.items ?? schema.additionalProperties
  const inner = typeof values === 'object' ? levelOf(values, owner, `${path}${schema.items ? '[]' : '{}'}`, found) : undefined
  return rules.length > 0 || properties.size > 0 || inner ? { rules, properties, inner } : undefined
}

function meet(level: Level, value: Json, isUpdate: boolean): void {
  if (value === null) return
  for (const rule of level.rules) if (isUpdate || !rule.isTransition) rule.isMet = true
  for (const [name, property] of level.properties) {
    const member = isObject(value) ? value[name] : undefined
    if (member !== undefined) meet(property, member, isUpdate)
  }
  if (level.inner) for (const inner of typeof value === 'object' ? Object.values(value) : []) meet(level.inner, inner, isUpdate)
}

const policyKinds = ['ValidatingAdmissionPolicy', 'MutatingAdmissionPolicy']
const bindingKinds = policyKinds.map((kind) => `${kind}Binding`)
const policyGroup = 'admissionregistration.k8s.io'
/** What the twin of a policy says. */
const mark = 'exercised'
const twinName = (policyKind: string, name: unknown) => `exercised.${policyKind.toLowerCase()}.${String(name)}`
const twinWarning = /^Validation failed for ValidatingAdmissionPolicy '(exercised\.[^']+)' with binding '[^']*': exercised$/

export class Exercised {
  readonly #rules: Rule[] = []
  readonly #levels = new Map<string, Level>()
  /** Policies by the names of their twins. */
  readonly #policies = new Map<string, { readonly owner: string; isMet: boolean }>()

  /**
   * Takes a manifest and what the server stored of it; undefined: it was refused. Returns a twin of a policy or a binding, to be stored: a policy for the same requests, which warns of each
   * one. So the server itself says which requests a policy meets.
   */
  judged(manifest: Manifest, stored: JsonObject | undefined, isUpdate: boolean): JsonObject | undefined {
    const { apiVersion, kind, object } = manifest
    const level = this.#levels.get(`${apiVersion} ${kind}`)
    // A rule that refuses an object has met it.
    if (level) meet(level, stored ?? object, isUpdate)
    if (stored === undefined) return undefined
    const [group, name] = [groupOf(apiVersion), (object['metadata'] as { name?: string } | undefined)?.name]
    if (isDefinition(manifest)) this.#define(object, String(name))
    if (group !== policyGroup) return undefined
    if (policyKinds.includes(kind)) return this.#twin(kind, String(name), object)
    return bindingKinds.includes(kind) ? bindingTwin(kind, String(name), object) : undefined
  }

  #define(object: JsonObject, name: string): void {
    const { group, names, versions } = object['spec'] as unknown as {
      readonly group: string
      readonly names: { readonly kind: string }
      readonly versions: readonly { readonly name: string; readonly schema?: { readonly openAPIV3Schema?: Schema } }[]
    }
    for (const version of versions) {
      const level = levelOf(version.schema?.openAPIV3Schema ?? {}, `CustomResourceDefinition ${name}`, version.name, this.#rules)
      if (level) this.#levels.set(`${group}/${version.name} ${names.kind}`, level)
    }
  }

  #twin(kind: string, name: string, object: JsonObject): JsonObject {
    const twin = twinName(kind, name)
    this.#policies.set(twin, { owner: `${kind} ${name}`, isMet: false })
    const { paramKind, matchConstraints, matchConditions, variables } = object['spec'] as JsonObject
    const spec = {
      paramKind,
      matchConstraints,
      matchConditions,
      variables,
      failurePolicy: 'Ignore',
      validations: [{ expression: 'false', message: mark }],
    }
    return { apiVersion: `${policyGroup}/v1`, kind: 'ValidatingAdmissionPolicy', metadata: { name: twin }, spec } as unknown as JsonObject
  }

  /** False: the warning is that of a twin, whose policy met an object. */
  isWarning(text: string): boolean {
    const policy = this.#policies.get(twinWarning.exec(text)?.[1] ?? '')
    if (policy === undefined) return true
    policy.isMet = true
    return false
  }

  missing(): Unexercised[] {
    const rules = this.#rules
      .filter(({ isMet }) => !isMet)
      .map(({ owner, rule }): Unexercised => ({ owner, ...(rule !== undefined && { rule }) }))
    const policies = [...this.#policies.values()].filter(({ isMet }) => !isMet).map(({ owner }): Unexercised => ({ owner }))
    return [...rules, ...policies]
  }
}

function bindingTwin(kind: string, name: string, object: JsonObject): JsonObject {
  const spec = object['spec'] as JsonObject
  const policyKind = kind.slice(0, -'Binding'.length)
  return {
    apiVersion: `${policyGroup}/v1`,
    kind: 'ValidatingAdmissionPolicyBinding',
    metadata: { name: twinName(policyKind, name) },
    spec: { ...spec, policyName: twinName(policyKind, spec['policyName']), validationActions: ['Warn'] },
  }
}
