/** The errors of calls: codes of gRPC and texts of etcd 3.5 (api/v3rpc/rpctypes/error.go). */
import { StoreError } from '../../core/ports.ts'
import { DecodeError } from '../../core/schema/decode-error.ts'

/** The status that ends a call (google.rpc.Code). */
export class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly code: number
  constructor(code: number, message: string) {
    super(message)
    this.code = code
  }
}

export const codes = {
  ok: 0,
  cancelled: 1,
  unknown: 2,
  invalidArgument: 3,
  notFound: 5,
  resourceExhausted: 8,
  failedPrecondition: 9,
  outOfRange: 11,
  unimplemented: 12,
  internal: 13,
  unavailable: 14,
  dataLoss: 15,
} as const

const { invalidArgument, notFound, resourceExhausted, failedPrecondition, outOfRange, unimplemented, unavailable, dataLoss } = codes

/** By name: what happened, the code, the text without its beginning. */
const rows = {
  emptyKey: [invalidArgument, 'key is not provided'],
  keyNotFound: [invalidArgument, 'key not found'],
  valueProvided: [invalidArgument, 'value is provided'],
  leaseProvided: [invalidArgument, 'lease is provided'],
  tooManyOps: [invalidArgument, 'too many operations in txn request'],
  duplicateKey: [invalidArgument, 'duplicate key given in txn request'],
  invalidSort: [invalidArgument, 'invalid sort option'],
  compacted: [outOfRange, 'mvcc: required revision has been compacted'],
  futureRevision: [outOfRange, 'mvcc: required revision is a future revision'],
  noSpace: [resourceExhausted, 'mvcc: database space exceeded'],
  leaseNotFound: [notFound, 'requested lease not found'],
  leaseExists: [failedPrecondition, 'lease already exists'],
  ttlTooLarge: [outOfRange, 'too large lease TTL'],
  tooLarge: [invalidArgument, 'request is too large'],
  corrupt: [dataLoss, 'corrupt cluster'],
  stopped: [unavailable, 'server stopped'],
  timeout: [unavailable, 'request timed out'],
  watchCancelled: [codes.cancelled, 'watch canceled'],
  memberNotFound: [notFound, 'member not found'],
  badTransferee: [failedPrecondition, 'bad leader transferee'],
  noDowngrade: [failedPrecondition, 'no inflight downgrade job'],
  badDowngrade: [invalidArgument, 'invalid downgrade target version'],
  authNotEnabled: [failedPrecondition, 'authentication is not enabled'],
  noRootUser: [failedPrecondition, 'root user does not exist'],
  userNotFound: [failedPrecondition, 'user name not found'],
  roleNotFound: [failedPrecondition, 'role name not found'],
  oneMember: [unimplemented, 'not supported: this server is the only member of its cluster'],
  noUsers: [unimplemented, 'not supported: this server has no users and roles'],
} as const

export type Problem = keyof typeof rows

export const textOf = (problem: Problem): string => `etcdserver: ${rows[problem][1]}`
export const refusal = (problem: Problem): Refusal => new Refusal(rows[problem][0], textOf(problem))

const problems = {
  compacted: 'compacted',
  'future-revision': 'futureRevision',
  'too-large': 'tooLarge',
  'no-space': 'noSpace',
  corrupt: 'corrupt',
  timeout: 'timeout',
} as const

/** The refusal for what a call has thrown; undefined: a defect of this program. */
export function refusalOf(error: unknown): Refusal | undefined {
  if (error instanceof Refusal) return error
  if (error instanceof DecodeError) return new Refusal(codes.internal, `grpc: error unmarshalling request: ${error.message}`)
  if (!(error instanceof StoreError)) return undefined
  return error.code === 'unavailable' ? new Refusal(unavailable, `etcdserver: ${error.message}`) : refusal(problems[error.code])
}
