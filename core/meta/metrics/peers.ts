import type { PeerListObserver } from '../discovery.ts'
import type { MetricsRegistry } from './registry.ts'
import { peerListRows, peerRows } from './rows/peers.ts'

export interface PeerMetrics {
  /** Another server has answered, or could not be reached (503). Empty group, version and resource: this server asked what it serves. */
  rerouted(code: number, group: string, version: string, resource: string): void
  /** No server that serves the resource has an address. */
  failed(reason: 'endpoint_resolution', group: string, version: string, resource: string): void
  askingFailed(reason: 'hostport_resolution' | 'fetch_discovery'): void
}

export function createPeerMetrics(registry: MetricsRegistry): PeerMetrics {
  const rerouted = registry.counter(peerRows.rerouted)
  const failed = registry.counter(peerRows.failed)
  const askingFailed = registry.counter(peerRows.askingFailed)
  return {
    rerouted: (code, ...resource) => rerouted.add([String(code), ...resource]),
    failed: (reason, ...resource) => failed.add([reason, ...resource]),
    askingFailed: (reason) => askingFailed.add([reason]),
  }
}

export function createPeerListMetrics(registry: MetricsRegistry): PeerListObserver {
  const hits = registry.counter(peerListRows.hits)
  const misses = registry.counter(peerListRows.misses)
  const alone = registry.counter(peerListRows.alone)
  return { alone: () => alone.add([]), merged: (isNew) => (isNew ? misses : hits).add([]) }
}
