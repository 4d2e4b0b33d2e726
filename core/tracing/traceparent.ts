/** The header `traceparent` (W3C Trace Context). */

export interface TraceParent {
  /** 32 hexadecimal digits. */
  readonly traceId: string
  /** 16 hexadecimal digits. */
  readonly spanId: string
  /** Bit 0: sampled. */
  readonly flags: number
}

const version0 = /^00-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})$/
/** Later versions may have more parts. */
const later = /^(?!ff|00)[\da-f]{2}-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(?:-|$)/
const zeros = /^0+$/

/** Undefined: absent or malformed, which is as absent. */
export function parseTraceparent(header: string | null): TraceParent | undefined {
  const [, traceId, spanId, flags] = (header !== null && (version0.exec(header) ?? later.exec(header))) || []
  if (traceId === undefined || spanId === undefined || zeros.test(traceId) || zeros.test(spanId)) return undefined
  return { traceId, spanId, flags: Number.parseInt(flags!, 16) & 1 }
}

export const formatTraceparent = ({ traceId, spanId, flags }: TraceParent): string =>
  `00-${traceId}-${spanId}-${flags.toString(16).padStart(2, '0')}`
