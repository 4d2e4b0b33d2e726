/** Families of this process: servers with equal options belong to the same one, so that what depends on options alone is made once. */
import type { Telemetry } from '../../core/ports.ts'
import type { ServerOptions } from '../../core/server.ts'
import { createFamily, type Family } from './family.ts'
import { stateMadeFor } from './made-state.ts'

interface Known {
  readonly text: string
  readonly telemetry: Telemetry | undefined
  readonly family: Family
}

/** Maximum number of families that are kept for later servers. */
const maxKept = 16

/** The most recently used last. They hold no state that a client can see. */
const kept: Known[] = []

/** Whether JSON shows the whole value: functions, class instances and parsed keys may differ where their JSON does not. */
function isPlain(value: unknown): boolean {
  if (Array.isArray(value)) return value.every(isPlain)
  if (typeof value !== 'object' || value === null)
    return ['string', 'boolean', 'undefined'].includes(typeof value) || Number.isFinite(value)
  return Object.getPrototypeOf(value) === Object.prototype && Object.values(value).every(isPlain)
}

/** The family of these options. Options that are not plain data have a family for each caller. */
export function familyOf(options: ServerOptions, telemetry: Telemetry | undefined): Family {
  if (!isPlain(options)) return createFamily(options, telemetry)
  const text = JSON.stringify(options)
  const at = kept.findIndex((each) => each.text === text && each.telemetry === telemetry)
  // A copy: the caller may change its options.
  const [known = { text, telemetry, family: createFamily(structuredClone(options), telemetry, stateMadeFor(text)) }] =
    at < 0 ? [] : kept.splice(at, 1)
  kept.push(known)
  if (kept.length > maxKept) kept.shift()
  return known.family
}
