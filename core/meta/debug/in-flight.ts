import type { Clock, StackProfile } from '../../ports.ts'
import type { Exchange } from '../../request/exchange.ts'

/** What requests in flight are, in words: `LIST pods`, `GET /metrics`. */
const titleOf = ({ info, request }: Exchange): string =>
  info.isResource
    ? `${info.verb} ${info.resource}${info.group === '' ? '' : `.${info.group}`}${info.subresource === '' ? '' : `/${info.subresource}`}`
    : `${request.method} ${info.path}`

const kindOf = ({ info, connection }: Exchange): string => {
  if (connection.protocol === 'in-process') return 'in-process requests'
  return info.longRunning ? 'long-running requests' : 'requests'
}

/** Requests in flight by what they do: the counterpart of goroutines. */
export function inFlightProfile(exchanges: Iterable<Exchange>): StackProfile {
  const stacks = new Map<string, { frames: string[]; count: number }>()
  for (const exchange of exchanges) {
    const frames = [titleOf(exchange), kindOf(exchange)]
    const key = frames.join('\n')
    const known = stacks.get(key) ?? { frames, count: 0 }
    stacks.set(key, known)
    known.count++
  }
  return {
    types: [{ type: 'goroutine', unit: 'count' }],
    stacks: Array.from(stacks.values(), ({ frames, count }) => ({
      frames: frames.map((name) => ({ name, file: '', line: 0 })),
      values: [count],
    })),
    period: { type: 'goroutine', unit: 'count', value: 1 },
  }
}

/** Requests in flight, one by one, without their queries, which may have secrets. */
export const inFlightTexts = (exchanges: Iterable<Exchange>, clock: Pick<Clock, 'monotonic'>): readonly string[] =>
  Array.from(exchanges, (exchange) => {
    const { request, info, user, received, auditId, connection } = exchange
    const age = ((clock.monotonic() - received) / 1000).toFixed(3)
    const agent = request.headers.get('user-agent') ?? ''
    return [
      `[${titleOf(exchange)}, ${age} s]:`,
      `\t${request.method} ${info.path}`,
      `\tuser ${JSON.stringify(user.name)} agent ${JSON.stringify(agent)} from ${connection.remoteAddress}:${connection.remotePort}`,
      `\taudit ID ${auditId}`,
      '',
    ].join('\n')
  })

/** What `inFlightTexts` returned for all threads, as one text. */
export const numbered = (texts: readonly string[]): string => `${texts.map((text, index) => `request ${index + 1} ${text}`).join('\n')}\n`
