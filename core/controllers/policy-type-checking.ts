/** Type-checks the expressions of validating policies, and writes warnings into their status. */
import { celTypeOf } from '../cel/schema-types.ts'
import type { ServedResource } from '../objects/registry/served.ts'
import { closing, follow } from '../objects/watch/follow.ts'
import { checkTypes, type KindTypes } from '../resources/admissionregistration/type-checking.ts'
import type { ApiObject } from '../resources/definition.ts'
import type { Controller, ControllerContext } from './controller.ts'
import { createQueue } from './queue.ts'

function kindTypes({ table }: Pick<ControllerContext, 'table'>): KindTypes {
  const typeOf = ({ definition }: ServedResource) => celTypeOf(definition.schema, { name: definition.kind, root: true })
  return {
    ofResource(group, version, resource) {
      const served = table.lookup(group, version, resource)
      const type = served && typeOf(served)
      return type && { group, version, kind: served.definition.kind, type }
    },
    ofKind(apiVersion, kind) {
      const served = table.ofKind(apiVersion, kind)
      return served && typeOf(served)
    },
  }
}

/** Whether the status was written for the current generation. */
function isChecked({ metadata: { generation = 0 }, status }: ApiObject): boolean {
  const { observedGeneration = 0 } = (status ?? {}) as { readonly observedGeneration?: number }
  return generation <= observedGeneration
}

export const policyTypeChecking: Controller = (context) => {
  const { platform, table, client, clock } = context
  const resource = table.lookup(platform.name('admissionregistration.<domain>'), 'v1', 'validatingadmissionpolicies')
  if (resource === undefined) return () => {}
  const policies = new Map<string, ApiObject>()
  const queue = createQueue({
    ...context,
    name: 'validatingadmissionpolicy-status',
    workers: 1,
    async work(key) {
      const policy = policies.get(key)
      if (policy === undefined || isChecked(policy)) return
      const warnings = checkTypes(policy['spec'] as Parameters<typeof checkTypes>[0], kindTypes({ table }))
      const { name = '', generation } = policy.metadata
      const typeChecking = { expressionWarnings: warnings.length > 0 ? warnings : null }
      await client(resource.definition).mergePatch('', name, { status: { observedGeneration: generation, typeChecking } }, 'status')
    },
  })
  const following = follow(resource.store, clock, {
    upsert({ key, object }) {
      policies.set(key, object)
      if (!isChecked(object)) queue.add(key)
    },
    remove: ({ key }) => void policies.delete(key),
  })
  return closing([following, queue])
}
