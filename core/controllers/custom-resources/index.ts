/**
 * Controllers of custom resources: follow stored definitions, accept names, serve objects, and delete objects with their definition. Every
 * server of a cluster runs them; the second one finds the work done.
 */

import { Pauses } from '../../common/slices.ts'
import type { LiveTable } from '../../objects/registry/table.ts'
import type { ObjectRef } from '../../objects/storage/keys.ts'
import type { StoredObject } from '../../objects/storage/stored-object.ts'
import { follow } from '../../objects/watch/follow.ts'
import type { Connect } from '../../outgoing/webhook/client-config.ts'
import type { Platform } from '../../platform.ts'
import type { Clock, Logger, Outbound } from '../../ports.ts'
import { parseJsonText } from '../../schema/json/text.ts'
import { messageOf } from '../../schema/message-of.ts'
import type { ClusterSettings } from '../../schema/model.ts'
import { type Client, ownWrite } from '../client.ts'
import { createQueue, type Queue } from '../queue.ts'
import type { QueueMetrics } from '../queue-metrics.ts'
import type { ConversionMetrics } from './conversion-metrics.ts'
import { versioningOf } from './converter.ts'
import { conditionOf, type Definition, isTrue, type Names, sameNames } from './definition.ts'
import { finalize } from './finalizer.ts'
import { takenNames } from './names.ts'
import { createServedDefinitions } from './served-definitions.ts'
import type { SharedRows } from './shared-rows.ts'
import { nextStatus } from './status.ts'
import { withoutSchemas } from './without-schemas.ts'

export interface CustomResourcesOptions {
  readonly table: LiveTable
  readonly platform: Platform
  readonly settings: ClusterSettings
  readonly clock: Clock
  readonly logger: Logger
  readonly outbound: Outbound
  /** Metrics of work queues. */
  readonly queues?: QueueMetrics
  /** Connects to conversion webhooks. */
  readonly connect: Connect
  readonly metrics: ConversionMetrics
  /** Rows that servers with the same options share. */
  readonly rows: SharedRows
}

export interface CustomResources {
  /** Resolves when the stored definitions are served, or could not be loaded. */
  readonly ready: Promise<void>
  /** Throws an Error while definitions are not loaded or can't be read; the others are served. */
  health(): void
  /**
   * Calls `changed` with the name of each definition, now and when it changes, and its group versions (`GROUP/VERSION`), served or not: none when
   * it is removed. The returned function ends that.
   */
  follow(changed: (name: string, groupVersions: readonly string[]) => void): () => void
  /** Starts writing: conditions, accepted names, deletions. */
  start(client: Client): void
  close(): void
}

/** State of each definition, without its schemas. */
interface Known {
  readonly group: string
  readonly groupVersions: readonly string[]
  readonly accepted: Partial<Names>
  /** Some requested names are not accepted. */
  readonly waiting: boolean
}

/** Whether a definition needs no update, as long as its schemas were checked. */
const isSettled = (definition: Definition) =>
  definition.metadata?.deletionTimestamp === undefined &&
  isTrue(definition, 'NamesAccepted') &&
  isTrue(definition, 'Established') &&
  conditionOf(definition, 'KubernetesAPIApprovalPolicyConformant') === undefined &&
  sameNames(definition.spec.names, definition.status?.acceptedNames)

/** Name of the health check. */
export const definitionsCheckName = 'custom-resource-definitions'
/** Maximum unreadable definitions that the health check names. */
const maxNamed = 10

const none: CustomResources = {
  ready: Promise.resolve(),
  health: () => {},
  follow: () => () => {},
  start: () => {},
  close: () => {},
}

export function createCustomResources({
  table,
  platform,
  settings,
  clock,
  logger,
  outbound,
  connect,
  queues,
  metrics,
  rows,
}: CustomResourcesOptions): CustomResources {
  const resource = table.lookup(platform.name('apiextensions.<domain>'), 'v1', 'customresourcedefinitions')
  if (resource === undefined) return none
  const { store } = resource
  const known = new Map<string, Known>()
  /** Generation with checked schemas, by name. */
  const examined = new Map<string, number>()
  /** Reasons why definitions can't be read, by name. They stay as they were served before. */
  const unreadable = new Map<string, string>()
  const followers = new Set<(name: string, groupVersions: readonly string[]) => void>()
  let loaded = false
  let queue: Queue | undefined
  const waiting = new Set<string>()
  const pauses = new Pauses(clock)
  const hooks = () => ({ platform, settings, now: clock.now() })
  const decode = (entry: StoredObject) => entry.copy() as unknown as Definition
  /** Parses a definition without its schemas. */
  const outline = (entry: StoredObject) => parseJsonText(withoutSchemas(entry.json)) as unknown as Definition

  const served = createServedDefinitions({
    table,
    shared: rows,
    versioningOf: (definition) => versioningOf(definition, { outbound, connect, clock, platform, metrics }),
  })

  function note(definition: Definition): void {
    const { spec, status, metadata } = definition
    const accepted: Partial<Names> = status?.acceptedNames ?? {}
    const name = metadata?.name ?? ''
    const groupVersions = spec.versions.map((each) => `${spec.group}/${each.name}`)
    known.set(name, { group: spec.group, groupVersions, accepted, waiting: !sameNames(spec.names, accepted) })
    for (const changed of followers) changed(name, groupVersions)
  }

  function skip({ name }: ObjectRef, why: string): void {
    if (unreadable.get(name) !== why) logger.warn({ definition: name, error: why }, 'custom resource definition cannot be read; skipped')
    unreadable.set(name, why)
  }

  function upsert(entry: StoredObject): void {
    try {
      update(entry)
      unreadable.delete(entry.name)
    } catch (error) {
      skip(entry, messageOf(error))
    }
  }

  function update(entry: StoredObject): void {
    const definition = outline(entry)
    note(definition)
    served.update(definition, entry)
    const { name } = entry
    // Schemas of established definitions were checked before.
    if (!examined.has(name) && isSettled(definition)) examined.set(name, definition.metadata?.generation ?? 0)
    if (examined.get(name) === definition.metadata?.generation && isSettled(definition)) waiting.delete(name)
    else enqueue(name)
  }

  /** Queues a definition, or remembers it until writing starts. */
  function enqueue(name: string): void {
    if (queue) queue.add(name)
    else waiting.add(name)
  }

  /** Queues definitions of the group that wait for a name. */
  function wakeOthers(group: string, name: string): void {
    for (const [other, { group: its, waiting }] of known) if (its === group && waiting && other !== name) enqueue(other)
  }

  function remove({ name }: ObjectRef): void {
    unreadable.delete(name)
    const before = known.get(name)
    known.delete(name)
    examined.delete(name)
    for (const changed of followers) changed(name, [])
    served.remove(name)
    if (before) wakeOthers(before.group, name)
  }

  const listed = () => {
    loaded = true
  }
  const following = follow(store, clock, { upsert, remove, listed, unreadable: skip })

  return {
    ready: following.ready.catch((error: unknown) =>
      logger.warn({ error: messageOf(error) }, 'custom resource definitions not loaded; retrying'),
    ),
    health() {
      if (!loaded) throw new Error('definitions not loaded')
      if (unreadable.size === 0) return
      const reasons = [...unreadable].slice(0, maxNamed).map(([name, why]) => `${name}: ${why}`)
      throw new Error(`${unreadable.size} definitions cannot be read: ${reasons.join('; ')}`)
    },
    follow(changed) {
      for (const [name, { groupVersions }] of known) changed(name, groupVersions)
      followers.add(changed)
      return () => void followers.delete(changed)
    },
    start(client) {
      const definitions = client(resource.definition)

      async function updateStatus(name: string, definition: Definition, entry: StoredObject): Promise<void> {
        const { generation = 0, resourceVersion } = definition.metadata ?? {}
        const { group } = definition.spec
        const taken = takenNames([...known.values()].filter((each) => each.group === group).map(({ accepted }) => accepted))
        const schemas = examined.get(name) !== generation
        const status = nextStatus(definition, taken, schemas, hooks())
        if (status) {
          // Served before the status is written, so that clients that see Established find the objects.
          served.update({ ...definition, status }, entry)
          const { conditions } = status
          // Null members remove accepted names in a merge patch that are not requested any more.
          const acceptedNames = { shortNames: null, categories: null, ...status.acceptedNames }
          const patch = { metadata: { resourceVersion }, status: { acceptedNames, conditions } }
          note((await definitions.mergePatch('', name, patch, 'status')) as unknown as Definition)
          wakeOthers(group, name)
        }
        examined.set(name, generation)
      }

      const own = createQueue({
        name: 'customresourcedefinitions',
        clock,
        logger,
        queues,
        // One worker: names are accepted one after the other.
        workers: 1,
        async work(name) {
          const entry = await store.get({ namespace: '', name })
          if (entry === undefined) return
          const definition = decode(entry)
          let again: number | undefined
          await ownWrite(async () => {
            if (definition.metadata?.deletionTimestamp === undefined) await updateStatus(name, definition, entry)
            else again = await finalize(definition, { definitions, hooks, pauses, stored: served.stored, overlaps: served.overlaps })
          })
          if (again !== undefined) own.addLater(name, again)
        },
      })
      queue = own
      for (const name of waiting) own.add(name)
    },
    close() {
      following.close()
      queue?.close()
    },
  }
}
