import type { Container as ContainerMessage } from '../../resources/core/container.ts'
import type { PodSpec as PodSpecMessage } from '../../resources/core/pod-spec.ts'
import type { ResourceRequirements } from '../../resources/core/resources.ts'
import { addQuantities, compareQuantities, formatQuantity, parseQuantity } from '../../schema/formats/quantity.ts'
import type { Infer } from '../../schema/model.ts'

/** Quantities by resource. */
export type Amounts = { readonly [resource: string]: string }

export type Resources = Pick<Infer<typeof ResourceRequirements>, 'requests' | 'limits'>
/** The part of a container with resources. */
export type Container = Pick<Infer<typeof ContainerMessage>, 'name' | 'restartPolicy' | 'resources'>

/** The part of a pod's spec with resources. */
export interface PodSpec extends Pick<Infer<typeof PodSpecMessage>, 'resources'> {
  readonly containers?: readonly Container[] | undefined
  readonly initContainers?: readonly Container[] | undefined
}

type Combine = (a: string, b: string) => string

const sum: Combine = (a, b) => formatQuantity(addQuantities(parseQuantity(a), parseQuantity(b)))
const larger: Combine = (a, b) => (compareQuantities(parseQuantity(a), parseQuantity(b)) >= 0 ? a : b)

function combine(a: Amounts, b: Amounts, by: Combine): Amounts {
  const both: { [resource: string]: string } = { ...a }
  for (const [resource, amount] of Object.entries(b)) {
    const own = both[resource]
    both[resource] = own === undefined ? amount : by(own, amount)
  }
  return both
}

/**
 * Effective requests or limits of a pod: the sum of its containers, or the largest init container plus the sidecars started before it
 * (KEP-753). Pod-level resources take precedence (KEP-2837).
 */
export function podAmounts({ containers, initContainers, resources }: PodSpec, of: keyof Resources): Amounts {
  const amounts = ({ resources: own }: Container) => own?.[of] ?? {}
  let running = (containers ?? []).reduce<Amounts>((total, each) => combine(total, amounts(each), sum), {})
  let sidecars: Amounts = {}
  let largest: Amounts = {}
  for (const container of initContainers ?? []) {
    const goesOn = container.restartPolicy === 'Always'
    const beside = combine(sidecars, amounts(container), sum)
    if (goesOn) {
      running = combine(running, amounts(container), sum)
      sidecars = beside
    }
    largest = combine(largest, beside, larger)
  }
  return { ...combine(running, largest, larger), ...resources?.[of] }
}
