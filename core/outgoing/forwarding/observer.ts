import type { Pauses } from '../../slices.ts'
import type { UpgradeServices } from './upgrade.ts'

/** Counts connections to node agents, and what becomes of them. Codes are HTTP status codes. */
export interface ForwardingObserver {
  /** A WebSocket for a subresource of pods; `direct`: the node agent serves it as it is. */
  streamed(subresource: string, direct: boolean): void
  /** The end of a command that was translated to SPDY. */
  translated(code: number): void
  /** A tunnel for SPDY was opened or refused. */
  tunnelled(code: number): void
  /** The log of a container was asked for; `unverified`: without verification of the node agent's certificate. */
  logAsked(unverified: boolean): void
  /** The certificate of a node agent that was asked for a log could not be verified. */
  logRefused(): void
}

/** Dependencies of connections to node agents. */
export interface AgentServices extends UpgradeServices {
  readonly forwarding: ForwardingObserver
  /** Time slices of reading frames. */
  readonly pauses: Pauses
}
