/** Aggregated resources of a pod's containers (KEP-753: sidecars run beside everything that starts later). */
import type { Infer } from '../../schema/model.ts'
import type { Container as ContainerSchema } from './container.ts'
import { accumulate, add, combine, greater, type ResourceList } from './quantities.ts'

type Container = Infer<typeof ContainerSchema>
type Side = 'requests' | 'limits'

export const isSidecar = (container: Pick<Container, 'restartPolicy'>) => container.restartPolicy === 'Always'

/** The sum of main containers and sidecars, or the maximum of an init container with the sidecars before it. */
export function aggregate(containers: readonly Container[], initContainers: readonly Container[], side: Side): ResourceList {
  const running: ResourceList = {}
  for (const { resources } of containers) accumulate(running, resources?.[side] ?? {}, add)
  const sidecars: ResourceList = {}
  const starting: ResourceList = {}
  for (const container of initContainers) {
    const own = container.resources?.[side] ?? {}
    const sidecar = isSidecar(container)
    if (sidecar) {
      accumulate(running, own, add)
      accumulate(sidecars, own, add)
    }
    // Other resources of earlier sidecars were included when they were added.
    for (const [name, amount] of Object.entries(own)) {
      const before = sidecars[name]
      accumulate(starting, { [name]: sidecar || before === undefined ? (before ?? amount) : add(amount, before) }, greater)
    }
  }
  return combine(running, starting, greater)
}
