/** Outgoing calls of a test server: those of the daemon, loaded at the first one, because most tests make none. */
import type { Outbound } from '../../core/ports.ts'

export function outboundWhenCalled(): Required<Outbound> {
  let loading: Promise<Required<Outbound>> | undefined
  const load = () => (loading ??= import('../node/network/outbound.ts').then(({ createOutbound }) => createOutbound()))
  return {
    fetch: async (request, options) => (await load()).fetch(request, options),
    upgrade: async (request, options) => (await load()).upgrade(request, options),
    resolve: async (hostname) => (await load()).resolve(hostname),
    call: async (call) => (await load()).call(call),
  }
}
