/** A CustomResourceDefinition, typed for its controllers. */
import type { CustomResourceDefinition } from '../../resources/apiextensions/index.ts'
import { timestamp } from '../../schema/formats/time.ts'
import { equal } from '../../schema/json/equal.ts'
import type { Infer, Json } from '../../schema/model.ts'

export type Definition = Infer<typeof CustomResourceDefinition>
export type Names = Definition['spec']['names']
export type Status = NonNullable<Definition['status']>
export type Condition = NonNullable<Status['conditions']>[number]
export type Observation = Pick<Condition, 'type' | 'status' | 'reason' | 'message'>

export const conditionOf = ({ status }: Definition, type: string): Condition | undefined =>
  status?.conditions?.find((each) => each.type === type)

export const isTrue = (definition: Definition, type: string): boolean => conditionOf(definition, type)?.status === 'True'

/** Whether its objects are served: once names are accepted, so that clients that see Established find them. */
export const isServed = (definition: Definition) => isTrue(definition, 'NamesAccepted') || isTrue(definition, 'Established')

/** Whether a condition equals an observation. */
export const matchesObservation = (condition: Condition | undefined, { status, reason, message }: Observation) =>
  condition?.status === status && condition.reason === reason && condition.message === message

/** The conditions with the one of the observation's type replaced or added. `now`: milliseconds since the epoch. */
export function withCondition(conditions: readonly Condition[], observation: Observation, now: number): Condition[] {
  const before = conditions.find(({ type }) => type === observation.type)
  const since = before?.status === observation.status ? before.lastTransitionTime : undefined
  const made: Condition = { ...observation, lastTransitionTime: since ?? timestamp(now) }
  return before ? conditions.map((each) => (each === before ? { ...each, ...made } : each)) : [...conditions, made]
}

/** Treats absent and empty lists as equal. */
const compact = (names: Partial<Names> | undefined) =>
  Object.fromEntries(
    Object.entries(names ?? {}).filter(([, value]) => value !== undefined && value !== '' && !(Array.isArray(value) && value.length === 0)),
  ) as Json

export const sameNames = (a: Partial<Names> | undefined, b: Partial<Names> | undefined) => equal(compact(a), compact(b))
