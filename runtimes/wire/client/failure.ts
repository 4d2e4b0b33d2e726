import { CallError } from '../../../core/ports.ts'
import { unavailable } from './codes.ts'

/** Prefix of errors of calls that the server can't have received; any call can be retried after them. */
export const notConnected = 'No connection established'

/** `seen`: the server may have received the call. */
export const failure = (why: string, seen: boolean) => new CallError(unavailable, seen ? why : `${notConnected}: ${why}`)
