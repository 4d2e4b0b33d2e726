/** Enforces ResourceQuotas; usage is charged before the write (pkg/admission/plugin/resourcequota). */

import { ApiError, internalError, qualified } from '../../answers/status.ts'
import { then } from '../../common/maybe-promise.ts'
import { once } from '../../common/once.ts'
import { Pauses } from '../../common/slices.ts'
import type { ApiObject } from '../../resources/definition.ts'
import { messageOf } from '../../schema/message-of.ts'
import type { AdmissionAttributes, AdmissionPlugin } from '../attributes.ts'
import type { PluginContext } from '../context.ts'
import { createBatches } from '../quota/batches.ts'
import { checkRequest } from '../quota/check.ts'
import { createEvaluators } from '../quota/evaluators.ts'
import type { QuotaObject } from '../quota/quota.ts'

/** Maximum milliseconds for which a request waits for its quota evaluation. */
const maxWait = 10_000
/** Exempt from quotas: resources that are not stored, and events. */
const uncounted = ['bindings', 'events', 'events.events.<domain>', 'localsubjectaccessreviews.authorization.<domain>']

const isNewer = (a: ApiObject, b: ApiObject) => Number(a.metadata.resourceVersion) > Number(b.metadata.resourceVersion)

export function resourceQuota(context: PluginContext): AdmissionPlugin {
  const { platform, follow, findLive, write, clock, configuration } = context
  const ignored = new Set(uncounted.map(platform.name))
  const limited = configuration.ResourceQuota?.limitedResources ?? []
  const evaluators = once(() => createEvaluators(context))
  /** Quotas by namespace and name. Includes our own writes before the watch delivers them. */
  const known = new Map<string, Map<string, QuotaObject>>()

  function note(quota: QuotaObject): void {
    const { namespace = '', name = '' } = quota.metadata
    const own = known.get(namespace) ?? new Map<string, QuotaObject>()
    const before = own.get(name)
    if (before === undefined || isNewer(quota, before)) own.set(name, quota)
    known.set(namespace, own)
  }

  function forget(namespace: string, name: string): void {
    known.get(namespace)?.delete(name)
    if (known.get(namespace)?.size === 0) known.delete(namespace)
  }

  const following = follow('', 'resourcequotas', {
    upsert: ({ object }) => note(object),
    remove: ({ namespace, name }) => forget(namespace, name),
  })
  let ready = false
  const told = then(following.ready, () => {
    ready = true
  })
  if (told instanceof Promise) told.catch(() => undefined)

  /** Reads a quota from the store. Not bound to the context of one request: the read serves a whole batch. */
  const live = async ({ metadata }: QuotaObject) =>
    (await findLive('', 'resourcequotas', metadata.namespace ?? '', metadata.name ?? '', undefined)) as QuotaObject | undefined

  const batches = once(() =>
    createBatches({
      pauses: new Pauses(clock),
      quotasOf: async (namespace) => [...(known.get(namespace)?.values() ?? [])],
      async reread(quotas) {
        const found = await Promise.all(quotas.map(live))
        for (const quota of found) if (quota) note(quota)
        for (const [index, { metadata }] of quotas.entries())
          if (found[index] === undefined) forget(metadata.namespace ?? '', metadata.name ?? '')
        return found.filter((quota) => quota !== undefined)
      },
      check: (quotas, attributes, slices) =>
        checkRequest({ quotas, attributes, evaluator: evaluators()(attributes.groupResource), limited, slices }),
      async save(quota) {
        try {
          note(await write.updateStatus('resourcequotas', quota))
          return true
        } catch (error) {
          if (error instanceof ApiError && ['Conflict', 'NotFound'].includes(error.status.reason ?? '')) return false
          throw error
        }
      },
    }),
  )

  async function charged(attributes: AdmissionAttributes): Promise<void> {
    if (!ready) await following.ready
    let cancel = () => {}
    const late = new Promise<never>((_, reject) => {
      cancel = clock.after(maxWait, () => reject(internalError('resource quota evaluation timed out')))
    })
    try {
      await Promise.race([batches()(attributes), late])
    } catch (error) {
      throw error instanceof ApiError ? error : internalError(messageOf(error))
    } finally {
      cancel()
    }
  }

  return {
    name: 'ResourceQuota',
    operations: ['CREATE', 'UPDATE'],
    validate(attributes) {
      const { groupResource, namespace, operation } = attributes
      if (namespace === '' || ignored.has(qualified(groupResource))) return undefined
      if (groupResource.group === '' && groupResource.resource === 'namespaces' && operation === 'CREATE') return undefined
      if (ready && limited.length === 0 && !known.has(namespace)) return undefined
      return evaluators()(groupResource).handles(attributes) ? charged(attributes) : undefined
    },
    close: () => following.close(),
  }
}
