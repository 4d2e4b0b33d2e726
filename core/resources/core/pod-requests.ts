/** What the containers of a pod ask for together (KEP 753: sidecars run beside everything that starts after them). */
import type { Infer } from '../../schema/model.ts'
import type { Container as ContainerSchema } from './container.ts'
import { add, combine, greater, type ResourceList } from './quantities.ts'

type Container = Infer<typeof ContainerSchema>
type Side = 'requests' | 'limits'

export const isSidecar = (container: Pick<Container, 'restartPolicy'>) => container.restartPolicy === 'Always'

/** The sum over main containers and sidecars, or the greatest need of an init container with the sidecars before it. */
export function aggregate(containers: readonly Container[], initContainers: readonly Container[], side: Side): ResourceList {
  let running = containers.reduce<ResourceList>((sum, { resources }) => combine(sum, resources?.[side] ?? {}, add), {})
  let sidecars: ResourceList = {}
  let starting: ResourceList = {}
  for (const container of initContainers) {
    const own = container.resources?.[side] ?? {}
    if (isSidecar(container)) {
      running = combine(running, own, add)
      sidecars = combine(sidecars, own, add)
      starting = combine(starting, sidecars, greater)
    } else starting = combine(starting, combine(own, sidecars, add), greater)
  }
  return combine(running, starting, greater)
}
