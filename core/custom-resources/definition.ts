/** A CustomResourceDefinition, as its controllers read it. */
import type { CustomResourceDefinition } from '../resources/apiextensions/index.ts'
import { equal } from '../schema/equal.ts'
import type { Infer, Json } from '../schema/model.ts'
import { timestamp } from '../schema/time.ts'

export type Definition = Infer<typeof CustomResourceDefinition>
export type Names = Definition['spec']['names']
export type Status = NonNullable<Definition['status']>
export type Condition = NonNullable<Status['conditions']>[number]
export type Observation = Pick<Condition, 'type' | 'status' | 'reason' | 'message'>

export const conditionOf = ({ status }: Definition, type: string): Condition | undefined =>
  status?.conditions?.find((each) => each.type === type)

export const isTrue = (definition: Definition, type: string): boolean => conditionOf(definition, type)?.status === 'True'

/** Whether requests for its objects are answered: from the moment its names are accepted, so that who reads that it is established finds it. */
export const isServed = (definition: Definition) => isTrue(definition, 'NamesAccepted') || isTrue(definition, 'Established')

/** Whether a condition says the same as an observation. */
export const says = (condition: Condition | undefined, { status, reason, message }: Observation) =>
  condition?.status === status && condition.reason === reason && condition.message === message

/** The conditions with an observation in place of that of its type, or at the end. `now`: milliseconds since the epoch. */
export function withCondition(conditions: readonly Condition[], observation: Observation, now: number): Condition[] {
  const before = conditions.find(({ type }) => type === observation.type)
  const since = before?.status === observation.status ? before.lastTransitionTime : undefined
  const made: Condition = { ...observation, lastTransitionTime: since ?? timestamp(now) }
  return before ? conditions.map((each) => (each === before ? { ...each, ...made } : each)) : [...conditions, made]
}

/** Lists that are absent and those that are empty are the same. */
const compact = (names: Partial<Names> | undefined) =>
  Object.fromEntries(
    Object.entries(names ?? {}).filter(([, value]) => value !== undefined && value !== '' && !(Array.isArray(value) && value.length === 0)),
  ) as Json

export const sameNames = (a: Partial<Names> | undefined, b: Partial<Names> | undefined) => equal(compact(a), compact(b))
