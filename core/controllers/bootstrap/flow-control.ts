/** Creates the priority levels and flow schemas that every cluster has, and keeps them as in this release (pkg/registry/flowcontrol/ensurer). */

import type { ServedResource } from '../../objects/registry/served.ts'
import type { StoredObject } from '../../objects/storage/stored-object.ts'
import type { Platform } from '../../platform.ts'
import type { ApiObject } from '../../resources/definition.ts'
import { parseBool } from '../../schema/formats/bool.ts'
import { equal } from '../../schema/json/equal.ts'
import { messageOf } from '../../schema/message-of.ts'
import type { Json, JsonObject } from '../../schema/model.ts'
import { ownWrite, type ResourceClient } from '../client.ts'
import type { ControllerContext } from '../controller.ts'
import { repeat } from '../repeat.ts'
import { autoUpdateAnnotation, flowControlObjects } from './flow-control-objects.ts'

/** Field manager of the objects. */
export const flowControlProducer = 'api-priority-and-fairness-config-producer-v1'
/** Milliseconds between reviews of the stored objects, and until one that failed is repeated. */
const [interval, retryInterval] = [60_000, 1_000]

/** The annotation's value, as Go parses booleans; undefined when it is missing or malformed. */
function autoUpdates({ metadata: { annotations } }: ApiObject, platform: Platform): boolean | undefined {
  const text = annotations?.[platform.name(autoUpdateAnnotation)]
  return text === undefined ? undefined : parseBool(text)
}

/** Whether the stored spec is the wanted one. Operators may change the shares of the exempt level. */
function isWanted(stored: ApiObject, wanted: ApiObject): boolean {
  const [{ exempt, ...rest }, { exempt: ours, ...others }] = [stored['spec'] as JsonObject, wanted['spec'] as JsonObject]
  return (exempt === undefined) === (ours === undefined) && equal(rest as Json, others as Json)
}

/**
 * The object to store instead of the stored one; undefined when nothing changes. A suggested object is updated if its annotation says so, or,
 * without one, if its spec has never been changed.
 */
export function revised(stored: ApiObject, wanted: ApiObject, isMandatory: boolean, platform: Platform): ApiObject | undefined {
  const annotated = autoUpdates(stored, platform)
  const updates = isMandatory || (annotated ?? stored.metadata.generation === 1)
  const changes = updates && !isWanted(stored, wanted)
  if (!changes && annotated === updates) return undefined
  const annotations = { ...stored.metadata.annotations, [platform.name(autoUpdateAnnotation)]: String(updates) }
  return { ...stored, metadata: { ...stored.metadata, annotations }, ...(changes && { spec: wanted['spec'] }) }
}

interface Kind {
  readonly resource: ServedResource
  readonly client: ResourceClient
}

/** The stored objects of a kind, by name. */
async function storedOf({ resource: { store } }: Kind): Promise<Map<string, StoredObject>> {
  const { entries } = await store.list({ namespace: '' })
  return new Map(entries.map((entry) => [entry.name, entry]))
}

async function settle({ client }: Kind, wanted: ApiObject, found: StoredObject | undefined, isMandatory: boolean, platform: Platform) {
  const stored = found?.copy()
  const change = stored && revised(stored, wanted, isMandatory, platform)
  // Where another server writes it first, the next review reads the result.
  if (stored === undefined) await ownWrite(() => client.create('', wanted))
  else if (change) await ownWrite(() => client.update(change))
}

/** Deletes objects of other releases: those that the server keeps up to date, but that this release does not have. */
async function removeOthers({ client }: Kind, wanted: readonly ApiObject[], found: Map<string, StoredObject>, platform: Platform) {
  const names = new Set(wanted.map(({ metadata }) => metadata.name))
  for (const [name, entry] of found) {
    if (names.has(name) || autoUpdates(entry.copy(), platform) !== true) continue
    await ownWrite(() => client.delete('', name))
  }
}

/** Writes what is missing or outdated, once. */
async function review({ platform }: ControllerContext, levels: Kind, schemas: Kind): Promise<void> {
  const { suggested, mandatory } = flowControlObjects(platform)
  const [storedLevels, storedSchemas] = await Promise.all([storedOf(levels), storedOf(schemas)])
  const settleAll = (kind: Kind, wanted: readonly ApiObject[], stored: Map<string, StoredObject>, isMandatory: boolean) =>
    Promise.all(wanted.map((each) => settle(kind, each, stored.get(each.metadata.name ?? ''), isMandatory, platform)))
  for (const [objects, isMandatory] of [[suggested, false] as const, [mandatory, true] as const]) {
    await settleAll(levels, objects.levels, storedLevels, isMandatory)
    await settleAll(schemas, objects.schemas, storedSchemas, isMandatory)
  }
  await removeOthers(schemas, [...suggested.schemas, ...mandatory.schemas], storedSchemas, platform)
  await removeOthers(levels, [...suggested.levels, ...mandatory.levels], storedLevels, platform)
}

/**
 * Resolves after the first review, whatever becomes of it, because an admission webhook that fails must not keep the server from starting: it may
 * need this server to work again. Repeats the review every minute, after a failure every second; the returned function stops that.
 */
export async function keepFlowControl(context: ControllerContext): Promise<() => void> {
  const { clock, logger, platform, table } = context
  const kind = (plural: string) => {
    const resource = table.lookup(platform.name('flowcontrol.apiserver.<domain>'), 'v1', plural)
    return resource && { resource, client: context.client(resource.definition) }
  }
  const levels = kind('prioritylevelconfigurations')
  const schemas = kind('flowschemas')
  if (!levels || !schemas) return () => {}
  const repetition = repeat(clock, async () => {
    try {
      await review(context, levels, schemas)
      return interval
    } catch (error) {
      logger.warn({ error: messageOf(error) }, 'priority levels and flow schemas could not be reviewed; trying again')
      return retryInterval
    }
  })
  await repetition.first
  return () => void repetition.stop()
}
