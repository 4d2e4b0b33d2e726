import { CallError } from '../../../core/ports.ts'

/** gRPC's code for calls that fail with the connection. */
const unavailable = 14

/** Prefix of errors of calls that the member can't have received; any call can be retried after them. */
export const notConnected = 'No connection established'

/** `seen`: the member may have received the call. */
export const failure = (why: string, seen: boolean) => new CallError(unavailable, seen ? why : `${notConnected}: ${why}`)
