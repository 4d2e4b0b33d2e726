/** Calls and their methods, whatever carries them. */
import type { Logger } from '../../core/ports.ts'
import { codes, Refusal, refusalOf } from './errors.ts'
import { type AnyMessage, decode, type Message } from './message.ts'
import type { MessageWriter } from './message-writer.ts'
import type { RequestBudget } from './request-budget.ts'

/** What a method does with the messages of a call. */
export interface CallHandler {
  /** A message of the client, valid only during the call. A Refusal that it throws ends the call. */
  message(message: Uint8Array): void
  /** The client sends no more. */
  end?(): void
  /** The call is over, in whatever way. */
  closed?(): void
  /** All messages are sent. */
  drained?(): void
}

/** One call and its answer. */
export interface Call {
  /** Address and port of the client's end of the connection; absent: it has none. */
  readonly peer?: string | undefined
  /** Bytes of messages that are not sent. */
  readonly pending: number
  /** `size`: about how many bytes the message has. */
  send<V>(type: Message<unknown, V>, value: V, size?: number): void
  /** Ends the call successfully, after its messages. */
  finish(): void
  /** Ends the call with an error. */
  refuse(error: unknown): void
}

export interface Method {
  /** The messages that its calls are opened with. */
  readonly request: AnyMessage
  /** Requests or responses are a sequence. */
  readonly isStream: boolean
  open(call: Call): CallHandler
}

export interface Service {
  /** By path: `/package.Service/Method`. */
  readonly methods: ReadonlyMap<string, Method>
  readonly logger: Logger
  readonly writer: MessageWriter
  /** Maximum bytes of a received message. */
  readonly maxMessageBytes: number
  readonly budget: RequestBudget
  /** A call has ended with this code, by path. */
  ended?(path: string, code: number): void
}

/** What a client is told of an error; one that is unknown is logged. */
export function told(service: Service, path: string, error: unknown): Refusal {
  const known = refusalOf(error)
  if (known === undefined) service.logger.error({ err: error, path }, 'call failed')
  return known ?? new Refusal(codes.unknown, String(error))
}

/** The refusal of a message that is too large. */
export const tooLarge = ({ maxMessageBytes }: Service): Refusal =>
  new Refusal(codes.resourceExhausted, `grpc: received message larger than max (${maxMessageBytes})`)

/** The refusal of a call of a method that is not there. */
export function unknownMethod({ methods }: Service, path: string): Refusal {
  const [, name = '', method = ''] = path.split('/')
  const isKnown = [...methods.keys()].some((each) => each.startsWith(`/${name}/`))
  return new Refusal(codes.unimplemented, isKnown ? `unknown method ${method} for service ${name}` : `unknown service ${name}`)
}

/**
 * A method with one request and one response, which may be there at once. `bytes`: size of the request. `sizeOf`: about how many bytes a response
 * has that may be large.
 */
export const unary = <V, R>(
  request: Message<V, never>,
  response: Message<unknown, R>,
  answer: (request: V, bytes: number, call: Call) => R | Promise<R>,
  sizeOf?: (response: R) => number,
): Method => ({
  request,
  isStream: false,
  open(call) {
    let hasRequest = false
    const send = (value: R) => {
      call.send(response, value, sizeOf?.(value))
      call.finish()
    }
    return {
      message(message) {
        hasRequest = true
        const result = answer(decode(request, message), message.length, call)
        if (result instanceof Promise) result.then(send, (error) => call.refuse(error))
        else send(result)
      },
      end() {
        if (!hasRequest) throw new Refusal(codes.internal, 'grpc: the call has no request')
      },
    }
  },
})
