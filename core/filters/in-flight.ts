import { tooManyRequests } from '../respond/status.ts'
import type { Filter } from './filter.ts'

const readOnly = new Set(['get', 'list', 'watch'])

interface Kinds {
  readOnly: number
  mutating: number
}

/**
 * At most so many requests at a time, of each kind; 0: no limit. Members of `system:masters` and long-running requests do not count.
 * `running` is kept current, for metrics.
 */
export function inFlight(limits: Readonly<Kinds>, running: Kinds): Filter {
  return (exchange, next) => {
    const { info, user } = exchange
    if (info.longRunning || user.groups.includes('system:masters')) return next(exchange)
    const kind = readOnly.has(info.verb) ? 'readOnly' : 'mutating'
    if (limits[kind] > 0 && running[kind] >= limits[kind]) throw tooManyRequests('Too many requests, please try again later.', 1)
    running[kind]++
    const done = () => {
      running[kind]--
    }
    try {
      const answer = next(exchange)
      if (answer instanceof Promise) return answer.finally(done)
      done()
      return answer
    } catch (error) {
      done()
      throw error
    }
  }
}
