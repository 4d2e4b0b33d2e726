/** Limits the rate of events: of the server, per namespace, per user, or per source and object (plugin/pkg/admission/eventratelimit). */

import { aggregate } from '../../access/authz/rules.ts'
import { ApiError } from '../../answers/status.ts'
import type { Event as EventSchema } from '../../resources/core/event.ts'
import type { ApiObject } from '../../resources/definition.ts'
import type { Infer } from '../../schema/model.ts'
import type { AdmissionAttributes, AdmissionPlugin } from '../attributes.ts'
import type { EventLimit } from '../configuration.ts'
import type { PluginContext } from '../context.ts'
import { createBuckets } from '../token-buckets.ts'

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

/** Events that are written through the group events are not limited. Throws an Error without a configuration. */
export function eventRateLimit({ clock, limits: shared, configuration }: PluginContext): AdmissionPlugin {
  if (configuration.EventRateLimit === undefined) throw new Error('EventRateLimit needs a configuration')
  const limits = configuration.EventRateLimit.limits.map((limit, index) => ({
    ...limit,
    accepts: shared ? (key: string) => shared.admit(`events/${index}`, limit, key) : createBuckets(limit, clock),
  }))
  return {
    name: 'EventRateLimit',
    operations: ['CREATE', 'UPDATE'],
    resources: [{ group: '', resource: 'events' }],
    async validate(attributes) {
      if (attributes.dryRun || attributes.subresource !== '') return
      // Every limit counts the event, even if another denies it.
      const accepted = await Promise.all(limits.map(({ type, accepts }) => accepts(keys[type](attributes))))
      const reached = limits.filter((_, index) => !accepted[index])
      if (reached.length === 0) return
      const problems = reached.map(({ type }) => `limit reached on type ${type} for key ${keys[type](attributes)}`)
      throw new ApiError('TooManyRequests', `Too many requests: ${aggregate(problems)}`)
    },
  }
}
