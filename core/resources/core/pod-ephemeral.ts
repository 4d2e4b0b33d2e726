import { FieldPath } from '../../schema/field-path.ts'
import { equal } from '../../schema/json/equal.ts'
import type { Json } from '../../schema/model.ts'
import type { ApiObject, SubresourceStrategy } from '../definition.ts'
import { keptMetadata } from '../kept-metadata.ts'
import { changesOf } from './diff.ts'
import { isMirrorPod } from './mirror-pod.ts'

type Container = { name: string; [field: string]: Json }

interface Spec {
  ephemeralContainers?: Container[]
}

const specOf = (pod: ApiObject) => (pod['spec'] ?? {}) as Spec
const containers = FieldPath.of('spec', 'ephemeralContainers')

/** `/ephemeralcontainers`: adds containers to a running pod (KEP-277). Existing ones can't be changed or removed. */
export const ephemeralContainers: SubresourceStrategy = {
  fullUpdate: true,
  // Without `reset`: the reference records what a client sends here, even where it keeps the stored fields.
  write(existing, incoming) {
    const { ephemeralContainers: _old, ...spec } = specOf(existing)
    const added = specOf(incoming).ephemeralContainers
    return { ...existing, metadata: keptMetadata(existing, incoming), spec: { ...spec, ...(added && { ephemeralContainers: added }) } }
  },
  validate(pod, old, errors, { platform }) {
    if (isMirrorPod(old.metadata.annotations, platform)) {
      errors.forbidden(FieldPath.of(''), 'static pods do not support ephemeral containers')
      return
    }
    const byName = new Map((specOf(pod).ephemeralContainers ?? []).map((container) => [container.name, container]))
    for (const container of specOf(old).ephemeralContainers ?? []) {
      const now = byName.get(container.name)
      const which = `existing ephemeral containers ${JSON.stringify(container.name)}`
      if (now === undefined) errors.forbidden(containers, `${which} may not be removed\n`)
      else if (!equal(now, container)) {
        const shown = (value: Json) => errors.shown(containers.index(0), value)
        errors.forbidden(containers, `${which} may not be changed\n${changesOf(container as Json, now as Json, shown)}`)
      }
    }
  },
}
