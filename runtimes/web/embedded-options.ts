import type { Ports } from '../../core/ports.ts'
import type { ServerOptions } from '../../core/server.ts'

/**
 * Options, the store, and optionally other ports. Defaults of the other ports use Web APIs only (no files, no client certificates). In a file of its own, so that
 * its declarations lead to no part of a server.
 */
export type EmbeddedOptions = ServerOptions & Pick<Ports, 'store'> & Partial<Omit<Ports, 'store'>>
