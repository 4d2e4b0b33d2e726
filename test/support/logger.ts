import type { Logger } from '../../core/ports.ts'

/** Discards what is logged. */
export const silentLogger: Logger = { debug() {}, info() {}, warn() {}, error() {} }
