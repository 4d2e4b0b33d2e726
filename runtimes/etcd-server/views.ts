/** What reads of a call see: the committed state, or that of a transaction that is being decided. */
import type { Draft } from '../stores/draft.ts'
import type { History, KeyRange, KeyState } from '../stores/history.ts'
import { refusal } from './errors.ts'

export interface View {
  /** Current revision. */
  readonly revision: number
  state(key: string): KeyState | undefined
  /** The keys of a range with their states, in order. `limit` is a hint: there may be more. */
  range(range: KeyRange, limit?: number): readonly KeyState[]
  count(range: KeyRange): number
}

/** The keys that a request names: one, those before `rangeEnd`, or, with an end of one zero byte, all from `key` on. */
export type Selected = { readonly key: string } | KeyRange

export function selected({ key, rangeEnd }: { readonly key: string; readonly rangeEnd: string }): Selected {
  if (rangeEnd === '') return { key }
  return rangeEnd === '\0' ? { from: key } : { from: key, to: rangeEnd }
}

export const isSelected = (keys: Selected, key: string): boolean =>
  'key' in keys ? key === keys.key : key >= keys.from && (keys.to === undefined || key < keys.to)

export function statesOf(view: View, keys: Selected, limit?: number): readonly KeyState[] {
  if (!('key' in keys)) return view.range(keys, limit)
  const state = view.state(keys.key)
  return state === undefined ? [] : [state]
}

export const countOf = (view: View, keys: Selected): number =>
  'key' in keys ? (view.state(keys.key) === undefined ? 0 : 1) : view.count(keys)

/** The committed state, now or at a revision. */
export function committed(history: History, revision = 0): View {
  const at = { ...(revision > 0 && { revision }) }
  return {
    revision: history.revision,
    state: (key) => history.state(key, revision),
    range: (range, limit) => history.range(range, { ...at, ...(limit !== undefined && { limit }) }),
    count: (range) => history.countWithin(range, revision),
  }
}

/** The state after the earlier writes of a group commit. */
export const drafted = (history: History, draft: Draft): View => new Drafted(history, draft)

/** A class: there is one for each write. */
class Drafted implements View {
  readonly #history: History
  readonly #draft: Draft

  constructor(history: History, draft: Draft) {
    this.#history = history
    this.#draft = draft
  }

  get revision(): number {
    return this.#draft.revision
  }

  state(key: string): KeyState | undefined {
    return this.#draft.state(key)
  }

  range(range: KeyRange): readonly KeyState[] {
    return this.#draft.range(range, this.#history.range(range))
  }

  count(range: KeyRange): number {
    return this.range(range).length
  }
}

/** @throws Refusal when a revision can't be read. `revision`: 0 is the current one. */
export function checkRevision(history: History, current: number, revision: number): void {
  if (revision > current) throw refusal('futureRevision')
  if (revision > 0 && revision < history.oldest) throw refusal('compacted')
}
