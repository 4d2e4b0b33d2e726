/** Passes requests on to the server of a registration. */

import { PlainError } from '../answers/plain-error.ts'
import type { Exchange } from '../request/exchange.ts'
import type { ConnectRegistration } from './connection.ts'
import { checkPath, createPassOn, type PassOnServices } from './pass-on.ts'
import { isAvailable, type RemoteRegistration } from './registration.ts'

export interface ForwardServices extends PassOnServices {
  readonly connect: ConnectRegistration
}

const unavailable = () => new PlainError(503, 'service unavailable')

/** Answers an exchange from the server of a registration, which may change until the next exchange. */
export type Forward = (exchange: Exchange, registration: RemoteRegistration) => Promise<Response>

export function createForward(services: ForwardServices): Forward {
  const passOn = createPassOn(services)
  return async (exchange, registration) => {
    checkPath(exchange.info)
    if (!isAvailable(registration)) throw unavailable()
    // The other server has limits of its own: one that hangs must not take this one's seats. In the reference, only watches leave theirs.
    exchange.seat?.leave()
    const server = await services.connect(registration, exchange).catch(() => {
      throw unavailable()
    })
    return passOn(exchange, server)
  }
}
