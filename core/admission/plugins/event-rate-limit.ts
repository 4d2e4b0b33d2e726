/** Limits the rate of events: of the server, per namespace, per user, or per source and object (plugin/pkg/admission/eventratelimit). */

import { aggregate } from '../../access/authz/rules.ts'
import { ApiError } from '../../answers/status.ts'
import type { Clock } from '../../ports.ts'
import type { Event as EventSchema } from '../../resources/core/event.ts'
import type { ApiObject } from '../../resources/definition.ts'
import type { Infer } from '../../schema/model.ts'
import type { AdmissionAttributes, AdmissionPlugin } from '../attributes.ts'
import type { EventLimit } from '../configuration.ts'
import type { PluginContext } from '../context.ts'

type Event = ApiObject & Infer<typeof EventSchema>

function sourceAndObject({ object }: AdmissionAttributes): string {
  const { source = {}, involvedObject: about = {} } = (object ?? {}) as Partial<Event>
  return [source.component, source.host, about.kind, about.namespace, about.name, about.uid, about.apiVersion].join('')
}

const keys: { readonly [type in EventLimit['type']]: (attributes: AdmissionAttributes) => string } = {
  Server: () => '',
  Namespace: ({ namespace }) => namespace,
  User: ({ user }) => user.name,
  SourceAndObject: sourceAndObject,
}

const defaultCacheSize = 4096
/** Maximum characters of a kept key, because clients choose it. Names that can exist are shorter together; keys that begin alike share a limit. */
const maxKeyLength = 4096

/** As long as kept keys are. A copy: a part of a text would keep the whole. */
const bounded = (key: string) =>
  key.length <= maxKeyLength ? key : new TextDecoder().decode(new TextEncoder().encode(key.slice(0, maxKeyLength)))

/** Token buckets by key: returns whether an event is allowed, and counts it. The least recently used keys are evicted. */
function createBuckets({ qps, burst, cacheSize }: EventLimit, clock: Clock): (key: string) => boolean {
  const buckets = new Map<string, { tokens: number; at: number }>()
  const maxBuckets = cacheSize || defaultCacheSize
  return (whole) => {
    const key = bounded(whole)
    const now = clock.monotonic()
    const { tokens, at } = buckets.get(key) ?? { tokens: burst, at: now }
    const filled = Math.min(burst, tokens + ((now - at) / 1000) * qps)
    const accepted = filled >= 1
    buckets.delete(key)
    buckets.set(key, { tokens: accepted ? filled - 1 : filled, at: now })
    const [oldest] = buckets.keys()
    if (buckets.size > maxBuckets && oldest !== undefined) buckets.delete(oldest)
    return accepted
  }
}

/** Events that are written through the group events are not limited. Throws an Error without a configuration. */
export function eventRateLimit({ clock, configuration }: PluginContext): AdmissionPlugin {
  if (configuration.EventRateLimit === undefined) throw new Error('EventRateLimit needs a configuration')
  const limits = configuration.EventRateLimit.limits.map((limit) => ({ ...limit, accepts: createBuckets(limit, clock) }))
  return {
    name: 'EventRateLimit',
    operations: ['CREATE', 'UPDATE'],
    resources: [{ group: '', resource: 'events' }],
    validate(attributes) {
      if (attributes.dryRun || attributes.subresource !== '') return
      // Every limit counts the event, even if another denies it.
      const reached = limits.filter(({ type, accepts }) => !accepts(keys[type](attributes)))
      if (reached.length === 0) return
      const problems = reached.map(({ type }) => `limit reached on type ${type} for key ${keys[type](attributes)}`)
      throw new ApiError('TooManyRequests', `Too many requests: ${aggregate(problems)}`)
    },
  }
}
