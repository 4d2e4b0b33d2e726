import type { MaybePromise } from '../common/maybe-promise.ts'
import { formatDuration } from '../config/duration.ts'
import type { FlowControl } from '../fairness/flow-control.ts'
import type { Ticket } from '../fairness/ticket.ts'
import type { Clock } from '../ports.ts'
import { whenEnded } from '../request/ended.ts'
import type { Exchange } from '../request/exchange.ts'
import { type Answer, type Filter, type Handler, outcome } from './filter.ts'
import type { Passed } from './metrics.ts'
import type { Terminations } from './terminations.ts'

/** As in the reference's log of requests. */
function remark(remarks: Record<string, unknown>, { flow, estimate }: Ticket): void {
  remarks['apf_pl'] = flow.level.name
  remarks['apf_fs'] = flow.schema.name
  remarks['apf_iseats'] = estimate.initialSeats
  remarks['apf_fseats'] = estimate.finalSeats
  remarks['apf_additionalLatency'] = formatDuration(estimate.latency)
}

type Running = Pick<Ticket, 'exchange' | 'end'>

const answered = ({ exchange, end }: Running, response: Response): Response => whenEnded(exchange, response, end)

function failed({ end }: Running, error: unknown): never {
  end()
  throw error
}

/**
 * Runs requests when their priority level has seats for them; until then they wait in its queues. A request has its seats until its response
 * has been sent, except while its body is awaited; a watch until it has sent its initial events. Other long-running requests take none.
 */
export function fairness(
  control: FlowControl,
  terminations: Pick<Terminations, 'dropped'>,
  passed: Passed,
  clock: Pick<Clock, 'monotonic'>,
): Filter {
  const serve = (exchange: Exchange, next: Handler, ticket: Ticket): Answer =>
    outcome(next, exchange, exchange.info.verb === 'watch' ? watching(ticket) : ticket, answered, failed)
  /** The end of a watch, which counts among the watches until then. */
  const watching = ({ exchange, end }: Ticket): Running => {
    const forget = control.watches.add(exchange)
    return {
      exchange,
      end() {
        end()
        forget()
      },
    }
  }
  const late = async (exchange: Exchange, next: Handler, ticket: Ticket, taken: Promise<void>): Promise<Response> => {
    const began = clock.monotonic()
    await taken.catch((error: unknown) => {
      throw terminations.dropped(exchange, error)
    })
    passed(clock.monotonic() - began)
    try {
      // The deadline may have passed between the grant and now.
      exchange.proceed()
    } catch (error) {
      ticket.end()
      throw error
    }
    return serve(exchange, next, ticket)
  }
  return (exchange, next) => {
    const { info } = exchange
    if (info.longRunning && info.verb !== 'watch') return next(exchange)
    const ticket = control.ticket(exchange)
    exchange.flow = ticket.flow
    if (exchange.remarks) remark(exchange.remarks, ticket)
    exchange.seat = ticket
    let taken: MaybePromise<void>
    try {
      taken = ticket.take()
    } catch (error) {
      throw terminations.dropped(exchange, error)
    }
    if (taken instanceof Promise) return late(exchange, next, ticket, taken)
    passed(0)
    return serve(exchange, next, ticket)
  }
}
