import type { AdmissionPlugin } from '../../../core/admission/attributes.ts'
import type { PluginContext } from '../../../core/admission/context.ts'
import { ApiError } from '../../../core/answers/status.ts'
import { createPlatform } from '../../../core/platform.ts'
import type { Files, Outbound } from '../../../core/ports.ts'
import type { ApiObject } from '../../../core/resources/definition.ts'
import { ManualClock } from '../../support/clock.ts'
import { silentLogger } from '../../support/logger.ts'
import { attributesOf, once, type Write } from './attributes.ts'

const refuse = () => Promise.reject(new Error('not in this test'))
const unreachable: Outbound = { fetch: refuse, call: refuse }
const noFiles: Files = { read: refuse, watch: () => () => {} }

/** A plugin context with these objects, by `plural/namespace/name`. Otherwise an empty cluster without rights. */
export function contextWith(stored: { readonly [key: string]: object } = {}, more: Partial<PluginContext> = {}): PluginContext {
  const objects = stored as { readonly [key: string]: ApiObject }
  const find: PluginContext['findLive'] = async (_group, plural, namespace, name) => objects[`${plural}/${namespace}/${name}`]
  return {
    platform: createPlatform('kubernetes'),
    authorizer: { name: 'nobody', authorize: () => ({ verdict: 'no-opinion', reason: 'not today' }) },
    clock: new ManualClock(),
    enabled: () => true,
    release: '1.36',
    outbound: unreachable,
    files: noFiles,
    logger: silentLogger,
    configuration: {},
    write: { create: refuse, updateStatus: refuse },
    tolerationSeconds: { notReady: 300, unreachable: 300 },
    find,
    findLive: find,
    findSoon: (_milliseconds, ...of) => find(...of),
    list: async (_group, plural, namespace = '') =>
      Object.entries(objects).flatMap(([key, object]) => (key.startsWith(`${plural}/${namespace}`) ? [object] : [])),
    resourceOf: () => undefined,
    objectsOf: () => undefined,
    follow: () => ({ ready: Promise.resolve(), close() {} }),
    ...more,
  }
}

/** Runs both phases; resolves to the refusal without the prefix up to `is forbidden: `, or to undefined. */
export async function admit(plugin: AdmissionPlugin, write: Write): Promise<string | undefined> {
  const attributes = attributesOf(write)
  if (!plugin.operations.includes(attributes.operation)) return undefined
  try {
    await plugin.mutate?.(attributes, once)
    await plugin.validate?.(attributes)
    return undefined
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return error.message.split(' is forbidden: ').at(-1)
  }
}
