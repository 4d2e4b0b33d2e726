/**
 * Ports from Web APIs alone, for tests and edge runtimes. No files. Outgoing calls use the global `fetch`, which supports none of
 * OutboundOptions except `timeout`: no certificates, proxies or Unix sockets.
 */
import { CallError, type Clock, type Files, type Logger, type Outbound } from '../../core/ports.ts'

/**
 * Calls back after other tasks. Node calls timers that are due one after another before it turns to sockets and files: two paused requests would
 * keep it from them, because the timer of each is due after a slice of the other.
 */
const { setImmediate: afterOthers = (callback) => setTimeout(callback, 0) } = globalThis as {
  readonly setImmediate?: (callback: () => void) => unknown
}

export const webClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(milliseconds, callback) {
    const timer: unknown = setTimeout(callback, Math.min(milliseconds, 0x7fffffff))
    // Node and Bun: a timer must not keep the process alive.
    if (typeof timer === 'object' && timer !== null && 'unref' in timer) (timer as { unref(): void }).unref()
    return () => clearTimeout(timer as number)
  },
  pause: () => new Promise((resolve) => void afterOthers(resolve)),
}

export const noFiles: Files = {
  read: (path) => Promise.reject(new Error(`${path}: this runtime has no files`)),
  watch: () => () => {},
}

/** Why `fetch` failed: Node says only `fetch failed`, and keeps the reason. */
const causeOf = (error: unknown) => (error instanceof TypeError && error.cause instanceof Error ? error.cause : error)

/** OpenSSL's codes of certificates that it does not accept, such as SELF_SIGNED_CERT_IN_CHAIN. */
const isAboutCertificate = (error: Error) => 'code' in error && /CERT|ISSUER|SIGNATURE/.test(String(error.code))

export const webOutbound: Outbound = {
  async fetch(request, { timeout, certificateAuthority } = {}) {
    try {
      return await fetch(request, timeout === undefined ? {} : { signal: AbortSignal.timeout(timeout) })
    } catch (error) {
      const cause = causeOf(error)
      if (certificateAuthority === undefined || !(cause instanceof Error) || !isAboutCertificate(cause)) throw cause
      throw new Error(`${cause.message} (this runtime does not use the certificate authority of the call)`, { cause })
    }
  },
  call: ({ method }) => Promise.reject(new CallError(12, `${method}: this runtime makes no gRPC calls`)),
}

const write = (level: string) => (fields: object, message: string) => console.error(`${level} ${message}`, fields)

/** Writes warnings and errors to the console; drops the rest. */
export const consoleLogger: Logger = { debug: () => {}, info: () => {}, warn: write('WARN'), error: write('ERROR') }
