/** Validating webhooks, called concurrently. */
import { once } from '../../common/once.ts'
import { type AdmissionAttributes, type AdmissionPlugin, admissionOperations, type GroupVersionKind } from '../attributes.ts'
import type { PluginContext } from '../context.ts'
import type { Invocation } from '../matching/rules.ts'
import type { VersionedObjects } from '../versioned.ts'
import { callHook, callWithFailurePolicy } from './call.ts'
import { createCaller } from './caller.ts'
import type { Hook } from './hook.ts'
import { invocationFor } from './invoke.ts'
import { followHooks } from './source.ts'

/** Converts the objects of a request once per version. */
function convertedObjects({ object, oldObject, versions }: AdmissionAttributes): (kind: GroupVersionKind) => Promise<VersionedObjects> {
  const known = new Map<string, Promise<VersionedObjects>>()
  async function convert(kind: GroupVersionKind): Promise<VersionedObjects> {
    return {
      object: object && (await versions.convert(object, kind)),
      oldObject: oldObject && (await versions.convert(oldObject, kind)),
    }
  }
  return (kind) => {
    const key = `${kind.group}/${kind.version} ${kind.kind}`
    const found = known.get(key) ?? convert(kind)
    known.set(key, found)
    return found
  }
}

export function validatingWebhooks(context: PluginContext): AdmissionPlugin {
  const source = followHooks(context, { plugin: 'ValidatingAdmissionWebhook', plural: 'validatingwebhookconfigurations' })
  const callerOf = once(() => createCaller(context, context.configuration.ValidatingAdmissionWebhook))
  const judgeOf = once(() => ({ ...context, metrics: callerOf().metrics, type: 'validating' }) as const)
  const failedOpenKey = context.platform.name('failed-open.validating.webhook.admission.<domain>/')

  async function dispatch(hooks: readonly Hook[], attributes: AdmissionAttributes): Promise<void> {
    const [caller, judge] = [callerOf(), judgeOf()]
    const versioned = convertedObjects(attributes)
    const relevant: { readonly hook: Hook; readonly invocation: Invocation }[] = []
    for (const hook of hooks) {
      const invocation = await invocationFor(hook, attributes, attributes, versioned, judge)
      if (invocation) relevant.push({ hook, invocation })
    }
    const began = caller.clock.monotonic()
    const calls = relevant.map(async ({ hook, invocation }, index) => {
      const objects = await versioned(invocation.kind)
      const call = async () => void (await callHook({ hook, attributes, invocation, objects, mutating: false }, caller))
      if (!(await callWithFailurePolicy(hook, attributes, 'validating', call, caller)))
        attributes.annotate(`${failedOpenKey}round_0_index_${index}`, hook.name)
    })
    const outcomes = await Promise.allSettled(calls)
    if (calls.length > 0) attributes.waited(caller.clock.monotonic() - began)
    const refused = outcomes.find((outcome) => outcome.status === 'rejected')
    if (refused) throw refused.reason
  }

  return {
    name: 'ValidatingAdmissionWebhook',
    operations: admissionOperations,
    validate(attributes) {
      const hooks = source.about(attributes)
      return hooks.length > 0 ? dispatch(hooks, attributes) : undefined
    },
    ready: source.ready,
    close: () => source.close(),
  }
}
