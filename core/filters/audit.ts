import { Recorder, type RecorderContext } from '../audit/recorder.ts'
import { type MaybePromise, then } from '../common/maybe-promise.ts'
import { whenSent } from '../request/ended.ts'
import type { Exchange } from '../request/exchange.ts'
import type { Filter } from './filter.ts'

/**
 * Records requests as the audit policy says. It sees the response that is sent, at the deadline too. In the blocking modes the response waits
 * for its events; the last event of a long-running request does not delay anything.
 */
export function audit(context: RecorderContext): Filter {
  function longRunning(recorder: Recorder, exchange: Exchange, response: Response): MaybePromise<Response> {
    const { status } = response
    return then(recorder.reached('ResponseStarted', status), () =>
      whenSent(exchange, response, () => void recorder.reached('ResponseComplete', status)),
    )
  }

  function answered(recorder: Recorder, exchange: Exchange, response: Response): MaybePromise<Response> {
    const { status } = response
    if (recorder.isRefused()) return then(recorder.reached('ResponseStarted', status), () => response)
    if (!recorder.isRecorded) return response
    if (recorder.hasPanicked) return then(recorder.reached('Panic', status), () => response)
    if (exchange.info.longRunning) return longRunning(recorder, exchange, response)
    return then(recorder.reached('ResponseComplete', status), () => response)
  }

  return (exchange, next) => {
    const recorder = new Recorder(context, exchange)
    exchange.observer = recorder
    return then(next(exchange), (response) => answered(recorder, exchange, response))
  }
}
