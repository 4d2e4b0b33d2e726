import type { WatchEncoder } from '../../objects/watch/stream.ts'
import type { Negotiated } from '../../request/negotiate.ts'
import type { ResourceDefinition } from '../../resources/definition.ts'
import type { Framing } from './watch-framing.ts'

/** The encoders of all watches, of which there are few different ones. */
export class WatchEncoders {
  readonly #shared = new Map<Framing, WeakMap<ResourceDefinition, WeakMap<Negotiated, WatchEncoder>>>()

  of(definition: ResourceDefinition, negotiated: Negotiated, framing: Framing, make: () => WatchEncoder): WatchEncoder {
    const framed = this.#shared.get(framing) ?? new WeakMap<ResourceDefinition, WeakMap<Negotiated, WatchEncoder>>()
    const known = framed.get(definition) ?? new WeakMap<Negotiated, WatchEncoder>()
    const encoder = known.get(negotiated) ?? make()
    this.#shared.set(framing, framed.set(definition, known.set(negotiated, encoder)))
    return encoder
  }
}
