import type { ApiObject } from '../resources/definition.ts'
import { equal } from '../schema/json/equal.ts'
import type { Json } from '../schema/model.ts'

/** A webhook, or a policy with one binding and parameter. */
export interface Participant {
  /** Unique within a Reinvocation. */
  readonly id: string
  /** Whether its reinvocationPolicy is `IfNeeded`. */
  readonly reinvocable: boolean
}

/** Tracks which participants must run again for an object: those that ran before a later change. */
export interface Reinvocation {
  /** Starts a round with this object: changes since the end of the previous round count. */
  begin(object: ApiObject | undefined): void
  isDue(by: Pick<Participant, 'id'>): boolean
  asked(by: Participant): void
  /** A participant has changed the object. */
  changed(): void
  end(object: ApiObject | undefined): void
}

export function createReinvocation(): Reinvocation {
  const asked = new Set<string>()
  const due = new Set<string>()
  let last: ApiObject | undefined
  const changed = () => {
    for (const id of asked) due.add(id)
    asked.clear()
  }
  return {
    begin(object) {
      if (asked.size > 0 && !equal(last as Json, object as Json)) changed()
    },
    isDue: ({ id }) => due.has(id),
    asked({ id, reinvocable }) {
      if (reinvocable) asked.add(id)
    },
    changed,
    end(object) {
      // The object is compared only if someone ran since the last change.
      last = asked.size > 0 ? structuredClone(object) : undefined
    },
  }
}
