import { addQuantities, compareQuantities, formatQuantity, parseQuantity } from '../../schema/formats/quantity.ts'

/** Quantities by resource. */
export type Amounts = { readonly [resource: string]: string }

export interface Resources {
  readonly requests?: Amounts
  readonly limits?: Amounts
}

/** The part of core/v1 Container with resources. */
export interface Container {
  readonly name: string
  readonly restartPolicy?: string
  readonly resources?: Resources
}

/** The part of core/v1 PodSpec with resources. */
export interface PodSpec {
  readonly containers?: readonly Container[] | null
  readonly initContainers?: readonly Container[] | null
  readonly resources?: Resources
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
