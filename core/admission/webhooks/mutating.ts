/** Mutating webhooks, called in order: each gets the result of the previous ones. */

import { internalError } from '../../answers/status.ts'
import { applyJsonPatch, UnprocessablePatch } from '../../apply/json-patch.ts'
import { once } from '../../common/once.ts'
import type { ApiObject } from '../../resources/definition.ts'
import { canonicalise } from '../../schema/decode.ts'
import { checkParts } from '../../schema/decode-budget.ts'
import { isObject } from '../../schema/json/is-object.ts'
import { syntaxFault } from '../../schema/json/syntax.ts'
import { parseJsonText } from '../../schema/json/text.ts'
import { messageOf } from '../../schema/message-of.ts'
import type { Json, JsonObject } from '../../schema/model.ts'
import { jsonType } from '../../schema/scalars.ts'
import type { AdmissionAttributes, AdmissionPlugin, GroupVersionKind, MutationRounds } from '../attributes.ts'
import { admissionOperations } from '../attributes.ts'
import type { PluginContext } from '../context.ts'
import { createReinvocation, type Reinvocation } from '../reinvocation.ts'
import { type VersionedObjects, VersionedRequest } from '../versioned.ts'
import { callHook, callWithFailurePolicy } from './call.ts'
import { createCaller } from './caller.ts'
import { CallFailed } from './errors.ts'
import type { Hook } from './hook.ts'
import { invocationFor } from './invoke.ts'
import { followHooks, type PlacedHook } from './source.ts'

/** Parses the operations of a patch; throws when it is malformed. */
function operationsOf(hook: Hook, patch: string): readonly Json[] {
  try {
    const fault = syntaxFault(new TextEncoder().encode(patch))
    if (fault !== undefined) throw new Error(fault)
    const value = parseJsonText(patch) ?? []
    if (!Array.isArray(value)) throw new Error(`json: cannot unmarshal ${jsonType(value)} into Go value of type jsonpatch.Patch`)
    const other = value.find((each) => each !== null && !isObject(each))
    if (other !== undefined) throw new Error(`json: cannot unmarshal ${jsonType(other)} into Go value of type jsonpatch.Operation`)
    return value
  } catch (error) {
    throw new CallFailed(hook.name, `received undecodable patch in webhook response: ${messageOf(error)}`, 503, error)
  }
}

export function mutatingWebhooks(context: PluginContext): AdmissionPlugin {
  const { platform } = context
  const source = followHooks(context, { plugin: 'MutatingAdmissionWebhook', plural: 'mutatingwebhookconfigurations' })
  const callerOf = once(() => createCaller(context, context.configuration.MutatingAdmissionWebhook))
  const judgeOf = once(() => ({ ...context, metrics: callerOf().metrics, type: 'admit' }) as const)
  const mutationKey = platform.name('mutation.webhook.admission.<domain>/')
  const patchKey = platform.name('patch.webhook.admission.<domain>/')
  const reinvocations = new WeakMap<MutationRounds, Reinvocation>()

  /** Applies a patch to the object. A patch that can't be applied is an error whatever the failure policy. */
  function patched(hook: Hook, request: VersionedRequest, kind: GroupVersionKind, operations: readonly Json[]) {
    if (request.object === undefined)
      throw internalError(
        `admission webhook ${JSON.stringify(hook.name)} attempted to modify the object, which is not supported for this operation`,
      )
    try {
      checkParts(operations as Json)
      const document = structuredClone(request.object) as JsonObject
      return request.decode(applyJsonPatch(document, operations as Json) as JsonObject, kind)
    } catch (error) {
      throw internalError(error instanceof UnprocessablePatch ? error.detail : messageOf(error))
    }
  }

  /** The objects with their members in the order of the kind's fields: what the server has set comes last in the new object. */
  const reviewed = ({ attributes, object, oldObject }: VersionedRequest, kind: GroupVersionKind): VersionedObjects => ({
    object: object && (canonicalise(attributes.versions.schemaOf(kind), object as Json, { root: true, shares: true }) as ApiObject),
    oldObject,
  })

  /** Resolves to whether the object changed. */
  async function ask(hook: PlacedHook, request: VersionedRequest, again: boolean): Promise<boolean> {
    const { attributes } = request
    const invocation = request.invocation
    let changed = false
    const { configuration, name: webhook } = hook
    const caller = callerOf()
    const place = `round_${again ? 1 : 0}_index_${hook.place}`
    const call = async () => {
      const { patch } = await callHook(
        { hook, attributes, invocation, objects: reviewed(request, invocation.kind), mutating: true },
        caller,
      )
      const operations = patch === undefined ? [] : operationsOf(hook, patch)
      if (operations.length === 0) return
      const next = patched(hook, request, invocation.kind, operations)
      changed = request.replace(next)
      const applied = { configuration, webhook, patch: operations, patchType: 'JSONPatch' }
      attributes.annotate(`${patchKey}${place}`, JSON.stringify(applied), 'Request')
    }
    const began = caller.clock.monotonic()
    try {
      if (!(await callWithFailurePolicy(hook, attributes, 'admit', call, caller)))
        attributes.annotate(`failed-open.${mutationKey}${place}`, webhook)
    } finally {
      attributes.waited(caller.clock.monotonic() - began)
      attributes.annotate(`${mutationKey}${place}`, JSON.stringify({ configuration, webhook, mutated: changed }))
    }
    return changed
  }

  async function dispatch(hooks: readonly PlacedHook[], attributes: AdmissionAttributes, rounds: MutationRounds): Promise<void> {
    const { again } = rounds
    const reinvocation = reinvocations.get(rounds) ?? createReinvocation()
    reinvocations.set(rounds, reinvocation)
    if (again) reinvocation.begin(attributes.object)
    const request = new VersionedRequest(attributes)
    for (const hook of hooks) {
      const invocation = await invocationFor(hook, attributes, request, (kind) => request.in(kind), judgeOf())
      // The second round does not call webhooks for the first time.
      if (invocation === undefined || (again && !reinvocation.isDue(hook))) continue
      await request.in(invocation.kind)
      request.invocation = invocation
      const changed = await ask(hook, request, again)
      if (changed) {
        reinvocation.changed()
        rounds.repeat()
      }
      reinvocation.asked(hook)
    }
    await request.finish()
    reinvocation.end(attributes.object)
  }

  return {
    name: 'MutatingAdmissionWebhook',
    operations: admissionOperations,
    mutate(attributes, rounds) {
      const hooks = source.about(attributes)
      return hooks.length > 0 ? dispatch(hooks, attributes, rounds) : undefined
    },
    ready: source.ready,
    close: () => source.close(),
  }
}
