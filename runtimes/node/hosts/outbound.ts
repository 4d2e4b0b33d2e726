/** Calls that servers make of their own accord, where these are not allowed. */
import { CallError, type Outbound } from '../../../core/ports.ts'

const why = 'calls of other servers are not allowed here: start hosts with --allow-outgoing'
const refuse = () => Promise.reject(new Error(why))

export const noOutbound: Required<Outbound> = {
  fetch: refuse,
  upgrade: refuse,
  resolve: refuse,
  call: () => Promise.reject(new CallError(14, why)),
}
