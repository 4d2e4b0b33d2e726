/** Reports in the status of each flow schema whether its priority level exists (condition `Dangling`). */

import { type Following, follow } from '../../objects/watch/follow.ts'
import type { ApiObject } from '../../resources/definition.ts'
import { timestamp } from '../../schema/formats/time.ts'
import type { JsonObject } from '../../schema/model.ts'
import { ownWrite } from '../client.ts'
import type { ControllerContext } from '../controller.ts'
import { createQueue } from '../queue.ts'

/** Field manager of the condition. */
export const flowControlConsumer = 'api-priority-and-fairness-config-consumer-v1'

/** Maximum writes of one schema within a minute, because another server may keep writing a different condition. */
const maxWrites = 6
const minute = 60_000
/** Minimum milliseconds until the next try beyond that, and the maximum of a random addition. */
const [minWait, spread] = [30_000, 45_000]

const levelOf = ({ spec }: ApiObject) => ((spec as JsonObject)['priorityLevelConfiguration'] as { readonly name: string }).name

function conditionFor(level: string, exists: boolean) {
  const reference = `This FlowSchema references the PriorityLevelConfiguration object named ${JSON.stringify(level)}`
  return exists
    ? { type: 'Dangling', status: 'False', reason: 'Found', message: `${reference} and it exists` }
    : { type: 'Dangling', status: 'True', reason: 'NotFound', message: `${reference} but there is no such object` }
}

/** The condition to write; undefined when the schema has it. */
function danglingCondition(schema: ApiObject, exists: boolean): ReturnType<typeof conditionFor> | undefined {
  const wanted = conditionFor(levelOf(schema), exists)
  const { conditions = [] } = (schema['status'] ?? {}) as { readonly conditions?: readonly JsonObject[] }
  const current = conditions.find(({ type }) => type === wanted.type)
  const same = current?.['status'] === wanted.status && current['reason'] === wanted.reason && current['message'] === wanted.message
  return same ? undefined : wanted
}

/** Keeps the conditions current; the returned function stops it. */
export function reportDangling(context: ControllerContext): () => void {
  const { platform, table, client, clock } = context
  const group = platform.name('flowcontrol.apiserver.<domain>')
  const levels = table.lookup(group, 'v1', 'prioritylevelconfigurations')
  const resource = table.lookup(group, 'v1', 'flowschemas')
  if (!levels || !resource) return () => {}
  const names = new Set<string>()
  const schemas = new Map<string, ApiObject>()
  /** Times of the last writes, by schema. */
  const writes = new Map<string, number[]>()

  /** Whether the schema has reached its maximum of writes within a minute. */
  function isBusy(name: string): boolean {
    const since = clock.monotonic() - minute
    const recent = (writes.get(name) ?? []).filter((time) => time >= since)
    writes.set(name, recent)
    return recent.length >= maxWrites
  }

  const queue = createQueue({
    ...context,
    name: 'flow-schema-status',
    workers: 1,
    async work(name) {
      const schema = schemas.get(name)
      const condition = schema && danglingCondition(schema, names.has(levelOf(schema)))
      if (condition === undefined) return
      if (isBusy(name)) return queue.addLater(name, minWait + Math.floor(Math.random() * spread))
      writes.get(name)?.push(clock.monotonic())
      const status = { conditions: [{ ...condition, lastTransitionTime: timestamp(clock.now()) }] }
      const applied = { kind: 'FlowSchema', apiVersion: `${group}/v1`, metadata: { name }, status }
      await ownWrite(() => client(resource.definition).apply(applied, 'status'))
    },
  })
  const lookAt = (level: string) => {
    for (const [name, schema] of schemas) if (levelOf(schema) === level) queue.add(name)
  }
  let ofSchemas: Following | undefined
  const ofLevels = follow(levels.store, clock, {
    upsert({ name }) {
      if (names.has(name)) return
      names.add(name)
      lookAt(name)
    },
    remove({ name }) {
      names.delete(name)
      lookAt(name)
    },
    // Levels before schemas: until the levels are known, all schemas would seem to dangle.
    listed() {
      ofSchemas ??= follow(resource.store, clock, {
        upsert({ name, object }) {
          schemas.set(name, object)
          queue.add(name)
        },
        remove({ name }) {
          schemas.delete(name)
          writes.delete(name)
        },
      })
    },
  })
  return () => {
    ofLevels.close()
    ofSchemas?.close()
    queue.close()
  }
}
