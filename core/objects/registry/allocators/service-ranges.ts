/** The ServiceCIDR object of the configured ranges; it has the name of the cluster's own service. */

import { ApiError } from '../../../answers/status.ts'
import type { Platform } from '../../../platform.ts'
import type { ApiObject } from '../../../resources/definition.ts'
import { timestamp } from '../../../schema/formats/time.ts'
import { sameItems } from '../../../schema/json/equal.ts'
import type { HookContext } from '../../../schema/model.ts'
import { createObject } from '../create.ts'
import { ownRequest } from '../request.ts'
import type { ServedResource } from '../served.ts'
import { updateObject } from '../update.ts'
import { mainView, statusView, type View } from '../view.ts'

interface Condition {
  readonly type: string
  readonly status: string
}

const cidrsOf = (object: ApiObject) => (object as { spec?: { cidrs?: readonly string[] } }).spec?.cidrs ?? []
const conditionsOf = (object: ApiObject) => (object as { status?: { conditions?: readonly Condition[] } }).status?.conditions ?? []

/** Creates it, or adds a second family. Other differences are left to the administrator. */
export async function ensureServiceRanges(
  resource: ServedResource,
  cidrs: readonly string[],
  platform: Platform,
  context: HookContext,
): Promise<void> {
  const { store } = resource
  const name = platform.service
  const own = ownRequest(context)
  const write = (view: View, change: (object: ApiObject) => ApiObject) =>
    updateObject(resource, '', name, { view, change: async (object) => change(object) }, own)

  if ((await store.get({ namespace: '', name })) === undefined) {
    const apiVersion = platform.name('networking.<domain>/v1')
    try {
      await createObject(resource, { kind: 'ServiceCIDR', apiVersion, metadata: { name }, spec: { cidrs: [...cidrs] } }, own)
    } catch (error) {
      if (!(error instanceof ApiError && error.status.reason === 'AlreadyExists')) throw error
    }
  }
  const stored = (await store.get({ namespace: '', name }))?.copy()
  if (stored === undefined || stored.metadata.deletionTimestamp !== undefined) return
  const before = cidrsOf(stored)
  if (before.length === 1 && cidrs.length === 2 && before[0] === cidrs[0])
    await write(mainView(resource.definition), (object) => ({ ...object, spec: { cidrs: [...cidrs] } }))
  else if (!sameItems(before, cidrs)) return
  const ready = {
    type: 'Ready',
    status: 'True',
    lastTransitionTime: timestamp(context.now),
    reason: '',
    message: `${platform.title} default Service CIDR is ready`,
  }
  await write(statusView(resource.definition), (object) => {
    const known = conditionsOf(object)
    if (known.some(({ type, status }) => type === ready.type && status !== 'Unknown')) return object
    return { ...object, status: { conditions: [...known.filter(({ type }) => type !== ready.type), ready] } }
  })
}
