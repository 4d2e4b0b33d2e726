import { Reply } from '../../../core/answers/reply.ts'

/** For Response objects of other classes, which have no field for it. */
const waiting = new WeakMap<Response, (() => void)[]>()

/** `Connection.whenSent` of connections whose listener calls `sent`. */
export function whenSent(response: Response, callback: () => void): void {
  if (!Reply.whenEnded(response, callback)) waiting.set(response, [...(waiting.get(response) ?? []), callback])
}

/** Reports that the response has been sent or abandoned. */
export function sent(response: Response): void {
  Reply.ended(response)
  const callbacks = waiting.get(response)
  if (callbacks === undefined) return
  waiting.delete(response)
  for (const callback of callbacks) callback()
}
