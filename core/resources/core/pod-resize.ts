/** `/resize`: changes CPU and memory of a running pod (KEP-1287). */

import type { FieldErrors } from '../../schema/field-error.ts'
import { FieldPath } from '../../schema/field-path.ts'
import { equal } from '../../schema/json/equal.ts'
import type { HookContext, Infer, Json, JsonObject } from '../../schema/model.ts'
import type { ApiObject, SubresourceStrategy } from '../definition.ts'
import { keptMetadata } from '../kept-metadata.ts'
import type { Container as ContainerSchema } from './container.ts'
import { isMirrorPod } from './mirror-pod.ts'
import { isSidecar } from './pod-requests.ts'
import type { PodSpec as PodSpecSchema } from './pod-spec.ts'
import { qosClassOf } from './qos.ts'
import type { ResourceRequirements } from './resources.ts'

type Spec = Infer<typeof PodSpecSchema>
type Container = Infer<typeof ContainerSchema>
type Resources = Infer<typeof ResourceRequirements>
type Amounts = { [resource: string]: string }

interface Status {
  readonly qosClass?: string
  readonly containerStatuses?: readonly { readonly state?: { readonly running?: object }; readonly resources?: object }[]
}

const specOf = (pod: ApiObject) => pod['spec'] as Spec
const statusOf = (pod: ApiObject) => (pod['status'] ?? {}) as Status
const lists = ['containers', 'initContainers'] as const
const sides = ['requests', 'limits'] as const
const mutable = ['cpu', 'memory']
const spec = FieldPath.of('spec')
const onlyMutable = 'only cpu and memory resources are mutable'

/** Stored containers with the requested resources; unchanged if the containers differ, which validation rejects. */
function resized(wanted: Container[] = [], stored: Container[] = []): Container[] {
  if (wanted.length !== stored.length || wanted.some(({ name }, index) => name !== stored[index]?.name)) return wanted
  return stored.map(({ resources: _resources, resizePolicy: _policy, ...rest }, index) => {
    const { resources, resizePolicy } = wanted[index] as Container
    return { ...rest, ...(resources && { resources }), ...(resizePolicy && { resizePolicy }) }
  })
}

function write(existing: ApiObject, incoming: ApiObject): ApiObject {
  const { resources: _resources, ...stored } = specOf(existing)
  const { containers, initContainers, resources } = specOf(incoming)
  const changed = {
    ...stored,
    // Without containers the list is null.
    containers: resized(containers ?? [], stored.containers),
    ...((initContainers || stored.initContainers) && { initContainers: resized(initContainers, stored.initContainers) }),
    ...(resources && { resources }),
  }
  // A pod with more or fewer containers is refused with the status that came with it.
  const isOther =
    (containers ?? []).length !== stored.containers.length || (initContainers ?? []).length !== (stored.initContainers ?? []).length
  const status = (isOther ? incoming : existing)['status']
  return { ...existing, metadata: keptMetadata(existing, incoming), spec: changed, ...(status !== undefined && { status }) }
}

function validateSameContainers(wanted: Spec, stored: Spec, errors: FieldErrors): boolean {
  const before = errors.count
  for (const list of lists) {
    const [now, old] = [wanted[list] ?? [], stored[list] ?? []]
    if (now.length !== old.length) errors.forbidden(spec.child(list), `${list} may not be added or removed on resize`)
    else
      for (const [index, { name }] of old.entries())
        if (now[index]?.name !== name)
          errors.forbidden(spec.child(list).index(index).child('name'), `${list} may not be renamed or reordered on resize`)
  }
  return errors.count === before
}

const removed = (now: Amounts = {}, old: Amounts = {}) => Object.keys(old).some((name) => now[name] === undefined)

function validateRemoved(now: Resources | undefined, old: Resources | undefined, what: string, path: FieldPath, errors: FieldErrors): void {
  for (const side of sides) if (removed(now?.[side], old?.[side])) errors.forbidden(path.child(side), `${what} ${side} cannot be removed`)
}

/** The immutable part of resources, for comparison with the stored one. */
function withoutMutable(resources: Resources | undefined, claims = resources?.claims): JsonObject {
  const rest = (amounts: Amounts = {}) => Object.fromEntries(Object.entries(amounts).filter(([name]) => !mutable.includes(name)))
  return { requests: rest(resources?.requests), limits: rest(resources?.limits), claims: (claims ?? []) as Json[] }
}

/** Whether only CPU and memory differ. As in the reference, claims that are asked for are not compared, and stored ones prevent every resize. */
function isResized({ resources: now, ...container }: Container, { resources: old, ...stored }: Container): boolean {
  return equal(container as Json, stored as Json) && equal(withoutMutable(now, []), withoutMutable(old))
}

/** Gate of resizing init containers that are not sidecars. */
const initGate = 'InPlacePodVerticalScalingInitContainers'

function validateContainers(wanted: Spec, stored: Spec, errors: FieldErrors, { settings }: HookContext): void {
  for (const list of lists.toReversed())
    for (const [index, container] of (stored[list] ?? []).entries())
      validateRemoved(
        wanted[list]?.[index]?.resources,
        container.resources,
        'resource',
        spec.child(list).index(index).child('resources'),
        errors,
      )
  for (const [index, container] of wanted.containers.entries())
    if (!isResized(container, stored.containers[index] as Container)) errors.forbidden(spec, onlyMutable)
  for (const [index, container] of (wanted.initContainers ?? []).entries()) {
    const old = stored.initContainers?.[index] as Container
    const path = spec.child('initContainers').index(index)
    const [all, fixed] = settings.enabled(initGate) ? ['init or sidecar', true] : ['sidecar', isSidecar(container)]
    const same = fixed ? isResized(container, old) : equal(container as Json, old as Json)
    if (!same) errors.forbidden(path, `only cpu and memory resources for ${all} containers are mutable`)
    const restarts = container.resizePolicy?.some(({ restartPolicy }) => restartPolicy === 'RestartContainer')
    if (restarts && !isSidecar(container) && !equal(container as Json, old as Json))
      errors.forbidden(path, 'non-sidecar init containers with a resize policy of RestartContainer cannot be resized')
  }
}

const isSet = (resources: Resources | undefined) => sides.some((side) => Object.keys(resources?.[side] ?? {}).length > 0)

function validatePodLevel(wanted: Resources | undefined, stored: Resources | undefined, errors: FieldErrors): void {
  const path = spec.child('resources')
  if (!isSet(wanted) && !isSet(stored)) return
  if (stored && !wanted) errors.forbidden(path, 'pod-level resources cannot be removed')
  else if (wanted) {
    validateRemoved(wanted, stored, 'pod-level resource', path, errors)
    if (!equal(withoutMutable(wanted), withoutMutable(stored))) errors.forbidden(spec, `${onlyMutable} at pod-level`)
  }
}

/** A node that runs the pod without reporting resources does not support resizing. */
function nodeResizes(pod: ApiObject): boolean {
  const running = statusOf(pod).containerStatuses?.find(({ state }) => state?.running)
  return running === undefined || running.resources !== undefined
}

export const resize: SubresourceStrategy = {
  fullUpdate: true,
  // Without `reset`: the reference records what a client sends here, even where it keeps the stored fields.
  write,
  validate(pod, old, errors, context) {
    const [wanted, stored] = [specOf(pod), specOf(old)]
    if (isMirrorPod(old.metadata.annotations, context.platform)) return errors.forbidden(FieldPath.of(''), 'static pods cannot be resized')
    if (stored.os?.name === 'windows') return errors.forbidden(FieldPath.of(''), 'windows pods cannot be resized')
    if ((statusOf(old).qosClass ?? qosClassOf(stored)) !== qosClassOf(wanted))
      errors.invalid(spec, statusOf(pod).qosClass ?? '', 'Pod QOS Class may not change as a result of resizing')
    if (!nodeResizes(old)) errors.forbidden(spec, 'Pod running on node without support for resize')
    validatePodLevel(wanted.resources, stored.resources, errors)
    if (!validateSameContainers(wanted, stored, errors)) return
    validateContainers(wanted, stored, errors, context)
    const unset = !isSet(wanted.resources) && !isSet(stored.resources)
    if (errors.count === 0 && unset && !equal((wanted.resources ?? null) as Json, (stored.resources ?? null) as Json))
      errors.forbidden(spec, onlyMutable)
  },
}
