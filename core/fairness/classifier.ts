import type { RequestInfo, User } from '../request/exchange.ts'
import { sameItems } from '../schema/json/equal.ts'
import { deal, flowHash } from './dealer.ts'
import type { Flow, Schema } from './flow.ts'
import type { NonResourceRule, ResourceRule, Rules } from './match.ts'
import { matchesAllPaths, matchesAllResources, matchesNonResource, matchesResource, matchesSubject } from './match.ts'

/** A schema with its rules. */
export interface RuledSchema extends Schema {
  /** What tells its flows apart; absent: nothing. */
  readonly distinguishes?: 'ByUser' | 'ByNamespace' | undefined
  readonly rules: readonly Rules[]
}

/** A schema that a user's requests may belong to, and their flows. */
interface Candidate<Rule> {
  readonly schema: RuledSchema
  /** Rules for the user; undefined: all requests match. */
  readonly rules: readonly Rule[] | undefined
  /** The only flow, if all requests of the user are in the same one. */
  flow: Flow | undefined
  /** Flows by namespace. */
  readonly flows: Map<string, Flow>
}

/** The schemas for one user, in the order in which they are tried. */
interface Plan {
  readonly groups: readonly string[]
  readonly resources: readonly Candidate<ResourceRule>[]
  readonly paths: readonly Candidate<NonResourceRule>[]
}

/** Users and namespaces that are remembered; all are forgotten beyond that. */
const maxRemembered = 10_000
/** Maximum characters of a namespace that is remembered, because the client chooses it: as of those that can exist. */
const maxNamespaceLength = 63

/** Finds the flow of a request. What depends on the user alone is computed once per user. */
export class Classifier {
  /** In the order in which they are tried. */
  readonly #schemas: readonly RuledSchema[]
  readonly #fallback: RuledSchema
  readonly #plans = new Map<string, Plan>()
  #lastUser: User | undefined
  #lastPlan: Plan | undefined

  /** `schemas` in the order in which they are tried; `fallback` gets what no schema matches. */
  constructor(schemas: readonly RuledSchema[], fallback: RuledSchema) {
    this.#schemas = schemas
    this.#fallback = fallback
  }

  classify(user: User, info: RequestInfo): Flow {
    const plan = user === this.#lastUser ? this.#lastPlan! : this.#planOf(user)
    const found = info.isResource ? find(plan.resources, info, matchesResource) : find(plan.paths, info, matchesNonResource)
    return found === undefined ? flowOf(candidate(this.#fallback, undefined), user, info) : flowOf(found, user, info)
  }

  #planOf(user: User): Plan {
    let plan = this.#plans.get(user.name)
    if (plan === undefined || !sameItems(plan.groups, user.groups)) {
      plan = this.#createPlan(user)
      if (this.#plans.size >= maxRemembered) this.#plans.clear()
      this.#plans.set(user.name, plan)
    }
    this.#lastUser = user
    this.#lastPlan = plan
    return plan
  }

  #createPlan(user: User): Plan {
    const of = this.#schemas.map((schema) => ({
      schema,
      rules: schema.rules.filter(({ subjects }) => subjects?.some((subject) => matchesSubject(subject, user))),
    }))
    return {
      groups: [...user.groups],
      resources: candidates(of, ({ resourceRules }) => resourceRules, matchesAllResources),
      paths: candidates(of, ({ nonResourceRules }) => nonResourceRules, matchesAllPaths),
    }
  }
}

const candidate = <Rule>(schema: RuledSchema, rules: readonly Rule[] | undefined): Candidate<Rule> => ({
  schema,
  rules,
  flow: undefined,
  flows: new Map(),
})

/** Schemas with rules for the user, up to the first that matches everything. */
function candidates<Rule>(
  schemas: readonly { readonly schema: RuledSchema; readonly rules: readonly Rules[] }[],
  rulesOf: (rules: Rules) => readonly Rule[] | null | undefined,
  matchesAll: (rule: Rule) => boolean,
): readonly Candidate<Rule>[] {
  const found: Candidate<Rule>[] = []
  for (const { schema, rules } of schemas) {
    const own = rules.flatMap((each) => rulesOf(each) ?? [])
    if (own.length === 0) continue
    const isLast = own.some(matchesAll)
    found.push(candidate(schema, isLast ? undefined : own))
    if (isLast) break
  }
  return found
}

function find<Rule>(
  all: readonly Candidate<Rule>[],
  info: RequestInfo,
  matches: (rule: Rule, info: RequestInfo) => boolean,
): Candidate<Rule> | undefined {
  for (const each of all) {
    if (each.rules === undefined) return each
    for (const rule of each.rules) if (matches(rule, info)) return each
  }
  return undefined
}

function flowOf(found: Candidate<unknown>, user: User, { namespace }: RequestInfo): Flow {
  if (found.flow !== undefined) return found.flow
  const { schema, flows } = found
  const queues = schema.level.queueing.queues
  if (queues <= 1 || schema.distinguishes !== 'ByNamespace') {
    found.flow = createFlow(schema, queues > 1 && schema.distinguishes === 'ByUser' ? user.name : '')
    return found.flow
  }
  const known = flows.get(namespace)
  if (known !== undefined) return known
  const created = createFlow(schema, namespace)
  if (namespace.length > maxNamespaceLength) return created
  if (flows.size >= maxRemembered) flows.clear()
  flows.set(namespace, created)
  return created
}

function createFlow(schema: Schema, distinguisher: string): Flow {
  const { level, usage, name, headers } = schema
  const { queues, handSize } = level.queueing
  const hash = queues > 1 ? flowHash(name, distinguisher) : 0n
  return { schema, level, usage, distinguisher, headers, hand: queues > 0 ? deal(hash, queues, handSize) : [] }
}
