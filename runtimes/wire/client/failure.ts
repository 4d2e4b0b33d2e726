import { CallError } from '../../../core/ports.ts'

/** gRPC's code for a call that the connection could not carry. */
const unavailable = 14

/** What the text of a failure starts with when the member can't have seen the call: then it may be made again, whatever it does. */
export const notConnected = 'No connection established'

/** `seen`: the member may have begun with the call. */
export const failure = (why: string, seen: boolean) => new CallError(unavailable, seen ? why : `${notConnected}: ${why}`)
