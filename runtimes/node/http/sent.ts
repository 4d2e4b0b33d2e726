import { Reply } from '../../../core/respond/reply.ts'

/** For responses that can't keep it themselves: those of other classes. */
const waiting = new WeakMap<Response, (() => void)[]>()

/** `Connection.whenSent` of connections whose listener calls `sent`. */
export function whenSent(response: Response, callback: () => void): void {
  if (!Reply.whenEnded(response, callback)) waiting.set(response, [...(waiting.get(response) ?? []), callback])
}

/** The response has been sent, or given up. */
export function sent(response: Response): void {
  Reply.ended(response)
  const callbacks = waiting.get(response)
  if (callbacks === undefined) return
  waiting.delete(response)
  for (const callback of callbacks) callback()
}
