/** Calls to one KMS plugin. */
import { CallError, type Outbound } from '../../ports.ts'
import { DecodeError } from '../../schema/decode-error.ts'
import { codeOf, unmeasured } from '../metrics.ts'
import { TransformError } from '../transformer.ts'
import type { WireMessage } from './wire.ts'

export interface PluginOptions {
  readonly name: string
  /** `unix:///path`; `unix:///@name` is an abstract socket. */
  readonly endpoint: string
  /** Timeout in milliseconds per call. */
  readonly timeout: number
}

/** Makes one call; rejects with a TransformError. */
export type Ask = <Q, A>(method: string, Question: WireMessage<Q>, question: Partial<Q>, Answer: WireMessage<A>) => Promise<A>

function failure(error: unknown): unknown {
  if (error instanceof CallError) return new TransformError(`rpc error: code = ${error.codeName} desc = ${error.message}`, error.codeName)
  if (error instanceof DecodeError)
    return new TransformError(`rpc error: code = Internal desc = malformed response: ${error.message}`, 'Internal')
  return error
}

/** Path of the socket. On the wire an abstract socket starts with a null byte, written as `@`. */
function socketOf(endpoint: string): string {
  const path = endpoint.slice('unix://'.length)
  return path.startsWith('/@') ? `\0${path.slice(2)}` : path
}

/** `service` is the full gRPC service name with a leading slash. Each call is reported. */
export function askPlugin(
  outbound: Pick<Outbound, 'call'>,
  service: string,
  { name, endpoint, timeout }: PluginOptions,
  { metrics, clock } = unmeasured,
): Ask {
  const unixSocket = socketOf(endpoint)
  return async (method, Question, question, Answer) => {
    const call = { unixSocket, method: `${service}/${method}`, message: Question.encode(question), timeout }
    const began = clock.monotonic()
    const report = (code: string) => metrics.calls.observe([name, call.method, code], (clock.monotonic() - began) / 1000)
    try {
      const answer = Answer.decode(await outbound.call(call))
      report('OK')
      return answer
    } catch (thrown) {
      const error = failure(thrown)
      report(codeOf(error))
      throw error
    }
  }
}
