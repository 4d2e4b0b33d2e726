import { StoreError, type StoreErrorCode } from '../../../core/ports.ts'
import { messageOf } from '../../../core/schema/message-of.ts'
import { dataLoss, deadlineExceeded } from '../../wire/client/codes.ts'
import { notConnected } from '../../wire/client/failure.ts'

/** Texts of etcd's errors (api/v3rpc/rpctypes) and of gRPC, in matching order. */
const texts: readonly (readonly [text: string, code: StoreErrorCode])[] = [
  ['required revision has been compacted', 'compacted'],
  ['required revision is a future revision', 'future-revision'],
  ['request is too large', 'too-large'],
  ['larger than max', 'too-large'],
  ['space exceeded', 'no-space'],
  ['request timed out', 'timeout'],
  ['corrupt', 'corrupt'],
]

/**
 * Errors after which a call can be retried on another member, because nothing was or will be done. Not 'server stopped', which a member
 * also returns for requests that it has proposed to the others (processInternalRaftRequestOnce in etcd's server/etcdserver/v3_server.go).
 */
const untouched = [notConnected, 'no leader', 'proposal dropped', 'too many requests', 'not capable']

const detailsOf = (error: unknown): string => {
  if (typeof error === 'object' && error !== null && 'details' in error && typeof error.details === 'string') return error.details
  return messageOf(error)
}

const codeOf = (error: unknown): unknown => (typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined)

/** Converts a failed call to a StoreError. */
export function storeError(error: unknown): StoreError {
  if (error instanceof StoreError) return error
  const details = detailsOf(error)
  const code = codeOf(error)
  if (code === deadlineExceeded) return new StoreError('timeout', details)
  const [, known] = texts.find(([text]) => details.includes(text)) ?? []
  return new StoreError(known ?? (code === dataLoss ? 'corrupt' : 'unavailable'), details)
}

export const wasUntouched = (error: StoreError) => untouched.some((text) => error.message.includes(text))

/** True when the member is at fault, so that another one may succeed. */
export const isMemberFault = ({ code, message }: StoreError) =>
  code === 'timeout' || (code === 'unavailable' && !message.includes('lease not found'))
