/**
 * Keeps the registrations of what this server serves itself (pkg/controllers/autoregister of the aggregator): those of built-in group versions
 * from the start, so that a change by hand lasts until the next start, and those of custom resources all the time.
 */
import { ensure, overwrite } from '../controllers/bootstrap/objects.ts'
import { ownWrite } from '../controllers/client.ts'
import { createQueue } from '../controllers/queue.ts'
import type { QueueMetrics } from '../controllers/queue-metrics.ts'
import { deleteObject } from '../objects/registry/delete.ts'
import { ownRequest } from '../objects/registry/request.ts'
import type { ResourceTable, ServedResource } from '../objects/registry/served.ts'
import type { Platform } from '../platform.ts'
import type { Clock, Logger } from '../ports.ts'
import type { ApiObject } from '../resources/definition.ts'
import { equal } from '../schema/json/equal.ts'
import type { HookContext, Json } from '../schema/model.ts'
import { keeps, keptLabel, localRegistrations } from './local.ts'
import type { Registration } from './registration.ts'
import type { Registrations } from './registrations.ts'

export interface AutoRegistrationOptions {
  readonly resource: ServedResource
  readonly registrations: Registrations
  readonly table: ResourceTable
  readonly platform: Platform
  readonly clock: Clock
  readonly logger: Logger
  readonly queues: QueueMetrics
  hooks(): HookContext
}

/** Queue key for a look at what is served. */
const everything = ''

const hasSpecOf = (one: Registration, other: Registration) => equal(one.spec as unknown as Json, other.spec as unknown as Json)

/** Resolves when the built-in group versions are registered; the returned function stops it. */
export async function startAutoRegistration({
  resource,
  registrations,
  table,
  platform,
  ...context
}: AutoRegistrationOptions): Promise<() => void> {
  const { hooks } = context
  const { store } = resource
  const label = keptLabel(platform)
  const keptOf = (registration: Registration | undefined) => registration?.metadata.labels?.[label]
  const isKept = (registration: Registration) => Object.values<string | undefined>(keeps).includes(keptOf(registration))
  const atStart = new Set(registrations.all.keys())
  const settled = new Set<string>()
  let wanted: ReadonlyMap<string, Registration> = new Map()

  async function write(name: string, desired: Registration | undefined, current: Registration | undefined): Promise<void> {
    if (current === undefined) {
      if (desired !== undefined) await ensure(resource, structuredClone(desired) as ApiObject, hooks())
      return
    }
    const isOnce = keptOf(current) === keeps.onStart
    if (!isKept(current) || (isOnce && (!atStart.has(name) || settled.has(name)))) return
    if (desired === undefined) {
      const { uid } = current.metadata
      await deleteObject(resource, '', name, uid === undefined ? {} : { preconditions: { uid } }, ownRequest(hooks()))
    } else if (!hasSpecOf(current, desired)) {
      await overwrite(resource, { ...current, spec: desired.spec } as ApiObject, hooks())
    }
  }

  async function settle(name: string): Promise<void> {
    const desired = wanted.get(name)
    if (keptOf(desired) === keeps.onStart && settled.has(name)) return
    const known = registrations.all.get(name)
    if (known === undefined ? desired === undefined : desired !== undefined && hasSpecOf(known, desired)) return void settled.add(name)
    const stored = await store.get({ namespace: '', name })
    await ownWrite(() => write(name, desired, stored?.copy() as Registration | undefined))
    settled.add(name)
  }

  const queue = createQueue({
    ...context,
    name: 'autoregister',
    work: async (name) => (name === everything ? look() : settle(name)),
  })

  /** Queues what is served now and was not, and the reverse. */
  function look(): void {
    const before = wanted
    wanted = localRegistrations(table, platform)
    for (const name of new Set([...before.keys(), ...wanted.keys()])) if (before.has(name) !== wanted.has(name)) queue.add(name)
  }

  wanted = localRegistrations(table, platform)
  const all = [...new Set([...wanted.keys(), ...atStart])]
  await Promise.all(all.filter((name) => keptOf(wanted.get(name)) === keeps.onStart).map(settle))
  // There may be thousands of others, which nothing waits for.
  for (const name of all) queue.add(name)
  const stops = [table.follow(() => queue.add(everything)), registrations.follow((name) => queue.add(name))]
  return () => {
    for (const stop of stops) stop()
    queue.close()
  }
}
