import { roundQuantity } from '../../schema/formats/quantity.ts'
import { set } from '../../schema/json/members.ts'
import type { JsonObject } from '../../schema/model.ts'
import { map, quantity } from '../../schema/model.ts'

/** Smallest amount of a resource: a thousandth, as exponent of ten. */
const finest = -3

function roundUp(list: JsonObject): void {
  for (const name in list) {
    const amount = list[name]
    if (typeof amount !== 'string') continue
    const rounded = roundQuantity(amount, finest)
    if (rounded !== amount) set(list, name, rounded)
  }
}

/** Amounts by resource (Go: ResourceList). Finer amounts than a thousandth are rounded away from zero. */
export const resourceList = map(quantity, { defaults: roundUp })
