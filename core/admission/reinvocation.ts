import type { ApiObject } from '../resources/definition.ts'
import { equal } from '../schema/equal.ts'
import type { Json } from '../schema/model.ts'

/** A webhook, or a policy with one binding and parameter. */
export interface Asked {
  /** Unique among those that share a Reinvocation. */
  readonly id: string
  /** Whether it wants to be asked again (`IfNeeded`). */
  readonly reinvocable: boolean
}

/** Who is asked again about one object: those that were asked before a later change. */
export interface Reinvocation {
  /** A second round begins with this object: a change since the first round's end counts like any other. */
  begin(object: ApiObject | undefined): void
  isDue(by: Pick<Asked, 'id'>): boolean
  asked(by: Asked): void
  /** One of them has changed the object. */
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
      // Only those that were asked since the last change care about the next one.
      last = asked.size > 0 ? structuredClone(object) : undefined
    },
  }
}
