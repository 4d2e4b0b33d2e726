/**
 * Storage versions of this server (feature gate StorageVersionAPI; apiserver, storageversion/manager.go and updater.go): in which version it
 * stores each built-in resource, and which ones it reads and serves, in the status of an object per resource.
 */

import { type GroupResource, qualified } from '../../answers/status.ts'
import type { WriteBarrier } from '../../filters/write-barrier.ts'
import { builtInRows } from '../../objects/registry/built-in.ts'
import type { ResourceTable } from '../../objects/registry/served.ts'
import { pauseFor } from '../../outgoing/time-limit.ts'
import type { Platform } from '../../platform.ts'
import { hubOf } from '../../resources/converter.ts'
import { apiVersionOf, type ResourceDefinition } from '../../resources/definition.ts'
import { builtInResources } from '../../resources/group-versions.ts'
import { timestamp } from '../../schema/formats/time.ts'
import { compareVersions } from '../../schema/formats/version-order.ts'
import { messageOf } from '../../schema/message-of.ts'
import type { JsonObject } from '../../schema/model.ts'
import { isStale } from '../client.ts'
import type { ControllerContext } from '../controller.ts'
import { repeatEvery } from '../repeat.ts'

/** Milliseconds between rounds, which restore what others have changed or deleted. */
const interval = 10 * 60_000
/** Failed tries of one object in a round, and milliseconds between two tries. */
const [maxFailures, retryAfter] = [3, 1_000]
/** Tries of one object in a round that others change at the same time. */
const maxConflicts = 60

/** The versions of one resource at one server (ServerStorageVersion of the API). */
type ServerVersions = VersionsHere & { readonly apiServerID: string }

/** What does not depend on the server: `decodableVersions` and `servedVersions` are lists. */
type VersionsHere = JsonObject & { readonly encodingVersion: string }

interface Condition {
  readonly type: string
  readonly status: string
  readonly lastTransitionTime?: string
}

interface VersionStatus {
  readonly storageVersions?: readonly ServerVersions[]
  readonly commonEncodingVersion?: string
  readonly conditions?: readonly Condition[]
}

/** The rows of one resource: all its versions, in all its groups. */
interface StoredResource {
  /** The first one, by group and plural. */
  readonly on: GroupResource
  readonly others: readonly GroupResource[]
  readonly versions: VersionsHere
}

const groupResourceOf = ({ group, names }: ResourceDefinition): GroupResource => ({ group, resource: names.plural })
const byName = (a: GroupResource, b: GroupResource) => (`${a.group}/${a.resource}` < `${b.group}/${b.resource}` ? -1 : 1)

/** What is stored of these rows, of which `serves` selects the served ones. Resources of which no version is served are left out. */
function storedResources(rows: readonly ResourceDefinition[], serves: (row: ResourceDefinition) => boolean): readonly StoredResource[] {
  const byKey = new Map<string, ResourceDefinition[]>()
  for (const row of rows) {
    if (row.storageKey === '') continue
    const others = byKey.get(row.storageKey)
    if (others) others.push(row)
    else byKey.set(row.storageKey, [row])
  }
  const found = [...byKey.values()].flatMap((all): StoredResource[] => {
    const served = all.filter(serves)
    const stored = all.find((row) => hubOf(row) === undefined)
    const names = [...new Map(served.map((row) => [qualified(groupResourceOf(row)), groupResourceOf(row)])).values()].sort(byName)
    const [on, ...others] = names
    if (stored === undefined || on === undefined) return []
    const inOrder = all.toSorted((a, b) =>
      a.group === b.group ? compareVersions(b.version, a.version) : byName(groupResourceOf(a), groupResourceOf(b)),
    )
    const versions = {
      encodingVersion: stored.storageVersion ?? apiVersionOf(stored),
      decodableVersions: inOrder.map(apiVersionOf),
      // A server lists those of the resource's own group.
      servedVersions: inOrder.filter((row) => row.group === on.group && serves(row)).map(apiVersionOf),
    }
    return [{ on, others, versions }]
  })
  return found.sort((a, b) => byName(a.on, b.on))
}

/** The status with this server's versions in it, and what follows from those of all servers. */
export function withVersions(status: VersionStatus, own: ServerVersions, now: number): VersionStatus {
  const before = status.storageVersions ?? []
  const isKnown = before.some(({ apiServerID }) => apiServerID === own.apiServerID)
  const storageVersions = isKnown ? before.map((each) => (each.apiServerID === own.apiServerID ? own : each)) : [...before, own]
  const isCommon = storageVersions.every(({ encodingVersion }) => encodingVersion === own.encodingVersion)
  const common = isCommon ? own.encodingVersion : undefined
  const type = 'AllEncodingVersionsEqual'
  const former = status.conditions?.find((each) => each.type === type)
  const current = isCommon
    ? { status: 'True', reason: 'CommonEncodingVersionSet', message: 'Common encoding version set' }
    : { status: 'False', reason: 'CommonEncodingVersionUnset', message: 'Common encoding version unset' }
  const isOther = isCommon && status.commonEncodingVersion !== undefined && status.commonEncodingVersion !== common
  const lastTransitionTime = former?.status === current.status && !isOther ? former.lastTransitionTime : timestamp(now)
  const condition = { type, ...current, ...(lastTransitionTime !== undefined && { lastTransitionTime }) }
  return {
    storageVersions,
    ...(common !== undefined && { commonEncodingVersion: common }),
    conditions: former
      ? (status.conditions ?? []).map((each) => (each === former ? { ...former, ...condition } : each))
      : [...(status.conditions ?? []), condition],
  }
}

/** Writes of resources that wait for their storage version. */
export class StorageVersionBarrier implements WriteBarrier {
  readonly resources: readonly StoredResource[]
  /** Last errors, by resource. */
  readonly #pending: Map<string, string>

  constructor(resources: readonly StoredResource[]) {
    this.resources = resources
    this.#pending = new Map(resources.flatMap(({ on, others }) => [on, ...others].map((each) => [qualified(each), '<nil>'])))
  }

  get open(): boolean {
    return this.#pending.size === 0
  }

  holds(on: GroupResource): string | undefined {
    const name = qualified(on)
    const error = this.#pending.get(name)
    return error && `wait for storage version registration to complete for resource: ${name}, last seen error: ${error}`
  }

  written({ on, others }: StoredResource): void {
    for (const each of [on, ...others]) this.#pending.delete(qualified(each))
  }

  failed({ on, others }: StoredResource, error: string): void {
    for (const each of [on, ...others].map(qualified)) if (this.#pending.has(each)) this.#pending.set(each, error)
  }
}

const group = 'internal.apiserver.<domain>'
const definitionOf = (table: ResourceTable, platform: Platform) =>
  table.lookup(platform.name(group), 'v1alpha1', 'storageversions')?.definition

/**
 * The barrier for the built-in resources of a server. Undefined: storage versions are not served, so that they can't be written. The reference
 * then holds writes for ever.
 */
export function storageVersionBarrier(table: ResourceTable, platform: Platform): StorageVersionBarrier | undefined {
  if (definitionOf(table, platform) === undefined) return undefined
  const isServed = ({ group: of, version, names }: ResourceDefinition) => table.lookup(of, version, names.plural) !== undefined
  return new StorageVersionBarrier(storedResources(builtInRows(builtInResources, platform), isServed))
}

/** Writes the storage versions now and every ten minutes. Resolves after the first round; the returned function stops it. */
export async function keepStorageVersions(
  { client, clock, logger, platform, table }: ControllerContext,
  identity: string,
  held: StorageVersionBarrier | undefined,
): Promise<() => void> {
  const definition = definitionOf(table, platform)
  if (definition === undefined || held === undefined) {
    logger.warn({}, `storage versions are not written: --runtime-config does not enable ${platform.name(group)}/v1alpha1`)
    return () => {}
  }
  const barrier = held
  const objects = client(definition)
  const empty = { kind: definition.kind, apiVersion: apiVersionOf(definition), spec: {} }
  const stopping = new AbortController()

  async function write({ on, versions }: StoredResource): Promise<void> {
    const name = `${on.group || 'core'}.${on.resource}`
    const found = await objects.get('', name)
    const object = found ?? (await objects.create('', { ...empty, metadata: { name } }))
    const status = withVersions((object['status'] ?? {}) as VersionStatus, { apiServerID: identity, ...versions }, clock.now())
    await objects.update({ ...object, status }, 'status')
  }

  async function tryToWrite(resource: StoredResource): Promise<void> {
    for (let failures = 0, conflicts = 0; ; ) {
      try {
        await write(resource)
        return barrier.written(resource)
      } catch (error) {
        if (isStale(error) && conflicts++ < maxConflicts) {
          await pauseFor(clock, retryAfter, stopping.signal)
          continue
        }
        barrier.failed(resource, messageOf(error))
        if (++failures === maxFailures) throw error
        await pauseFor(clock, retryAfter, stopping.signal)
      }
    }
  }

  async function round(): Promise<void> {
    for (const resource of barrier.resources) {
      try {
        await tryToWrite(resource)
      } catch (error) {
        if (stopping.signal.aborted) return
        logger.warn({ resource: qualified(resource.on), error: messageOf(error) }, 'storage version could not be written')
      }
    }
  }

  const rounds = repeatEvery(clock, interval, round)
  await rounds.first
  return () => {
    stopping.abort()
    void rounds.stop()
  }
}
