/** The methods of etcd's API, by path. */
import { randomLeaseId } from '../stores/mvcc.ts'
import { decode } from './decoding.ts'
import { type Encoder, encode } from './encoding.ts'
import { type Problem, refusal } from './errors.ts'
import { type Method, unary } from './grpc.ts'
import { hashKv } from './hash.ts'
import { alarms, clusterVersion, type Member, raftTerm, version } from './member.ts'
import * as messages from './messages.ts'
import { checkRange, range } from './range.ts'
import { checkDelete, checkPut, checkTxn, commitDelete, commitPut, commitTxn, isReadOnly, type Store } from './transactions.ts'
import { committed } from './views.ts'
import { watchMethod } from './watch.ts'

const { anyRequest, headerResponse } = messages

/** Maximum seconds of a lease (lease.MaxLeaseTTL). */
const maxLeaseSeconds = 9_000_000_000

/** Bytes of a response without its values: the first size of its buffer. */
const perKey = 128

const storeOf = ({ history, options: { engine } }: Member): Store => ({
  history,
  leases: engine.leases,
  commit: (decide) => engine.commit(decide),
})

function kv(member: Member): Methods {
  const { options } = member
  const done = <T extends { readonly header?: messages.Header }>(encoder: Encoder<T>, response: T) =>
    encode(encoder, member.complete(response))
  return {
    Range: unary(messages.rangeRequest, (request) => {
      checkRange(request)
      member.checkRead()
      const response = member.complete(range(member.history, committed(member.history), request))
      const size = (response.kvs ?? []).reduce((sum, { key, value }) => sum + (key?.length ?? 0) + (value?.length ?? 0) + perKey, perKey)
      return encode(messages.rangeResponse, response, size)
    }),
    Put: unary(messages.putRequest, async (request, bytes) => {
      checkPut(request)
      member.checkWrite(bytes)
      return done(messages.putResponse, await commitPut(storeOf(member), request))
    }),
    DeleteRange: unary(messages.deleteRangeRequest, async (request, bytes) => {
      checkDelete(request)
      member.checkWrite(bytes, false)
      return done(messages.deleteRangeResponse, await commitDelete(storeOf(member), request))
    }),
    Txn: unary(messages.txnRequest, async (request, bytes) => {
      checkTxn(request, options.maxTxnOps)
      if (isReadOnly(request)) member.checkRead()
      else member.checkWrite(bytes, puts(request))
      return done(messages.txnResponse, await commitTxn(storeOf(member), request))
    }),
    Compact: unary(messages.compactionRequest, async ({ revision }) => {
      const { history } = member
      if (revision <= member.compacted) throw refusal('compacted')
      if (revision > history.revision) throw refusal('futureRevision')
      member.compact(revision)
      await options.engine.compact(revision)
      return done(headerResponse, {})
    }),
  }
}

const puts = ({ success, failure }: messages.TxnRequest): boolean =>
  [success, failure].some((ops) => ops.some(({ put, txn }) => put !== undefined || (txn !== undefined && puts(txn))))

function lease(member: Member): Methods {
  const { engine, minLeaseSeconds } = member.options
  return {
    LeaseGrant: unary(messages.leaseGrantRequest, async ({ id, ttl }, bytes) => {
      if (ttl > maxLeaseSeconds) throw refusal('ttlTooLarge')
      member.checkWrite(bytes)
      const given = id === 0n ? randomLeaseId() : id
      if (engine.leases.has(given)) throw refusal('leaseExists')
      const seconds = Math.max(ttl, minLeaseSeconds)
      await engine.grant({ id: given, expires: 0, seconds })
      return encode(messages.leaseGrantResponse, { header: member.header(), id: given, ttl: seconds })
    }),
    LeaseRevoke: unary(messages.leaseRequest, async ({ id }) => {
      if (!engine.leases.has(id)) throw refusal('leaseNotFound')
      return encode(headerResponse, { header: member.header(await engine.revoke(id)) })
    }),
    LeaseKeepAlive: {
      open: (call) => ({
        message(message) {
          const { id } = decode(messages.leaseRequest, message)
          const header = member.header()
          call.send(encode(messages.leaseKeepAliveResponse, { header, id, ttl: engine.leases.renew(id) ?? 0 }))
        },
        end: () => call.finish(),
      }),
    },
    LeaseTimeToLive: unary(messages.leaseTimeToLiveRequest, ({ id, keys }) => {
      const times = engine.leases.times(id)
      const found = times && {
        ttl: Math.max(0, Math.floor(times.remaining)),
        grantedTtl: times.granted,
        ...(keys && { keys: engine.leases.keys(id) }),
      }
      return encode(messages.leaseTimeToLiveResponse, { header: member.header(), id, ttl: -1, ...found })
    }),
    LeaseLeases: unary(anyRequest, () => {
      const { leases } = engine
      const remaining = (id: bigint) => leases.times(id)?.remaining ?? 0
      const sorted = leases.ids().toSorted((a, b) => remaining(a) - remaining(b))
      return encode(messages.leaseLeasesResponse, { header: member.header(), leases: sorted.map((id) => ({ id })) })
    }),
  }
}

function cluster(member: Member): Methods {
  const { name, peerUrls, clientUrls } = member.options
  return {
    MemberList: unary(anyRequest, () => {
      const members = [{ id: member.id, name, peerUrls, clientUrls }]
      const { clusterId, id: memberId } = member
      return encode(messages.memberListResponse, { header: { clusterId, memberId, raftTerm }, members })
    }),
    MemberAdd: refused('oneMember'),
    MemberRemove: refused('oneMember'),
    MemberUpdate: refused('oneMember'),
    MemberPromote: refused('oneMember'),
  }
}

const downgradeActions = { validate: 0, enable: 1, cancel: 2 } as const
const alarmActions = { get: 0, activate: 1, deactivate: 2 } as const

function maintenance(member: Member): Methods {
  const { engine } = member.options
  const alarmed = (types: readonly number[]) =>
    encode(messages.alarmResponse, { header: member.header(), alarms: types.map((alarm) => ({ memberId: member.id, alarm })) })
  return {
    Alarm: unary(messages.alarmRequest, ({ action, alarm }) => {
      if (action === alarmActions.get) return alarmed([...member.alarms].filter((each) => alarm === alarms.none || each === alarm))
      if (alarm === alarms.none) return alarmed([])
      if (action === alarmActions.activate) {
        member.alarms.add(alarm)
        return alarmed([alarm])
      }
      return alarmed(member.alarms.delete(alarm) ? [alarm] : [])
    }),
    Status: unary(anyRequest, () => {
      const { history } = member
      const names = { [alarms.noSpace]: 'NOSPACE', [alarms.corrupt]: 'CORRUPT' } as const
      const index = history.revision + appliedBefore
      return encode(messages.statusResponse, {
        header: member.header(),
        version,
        dbSize: engine.size,
        leader: member.id,
        raftIndex: index,
        raftTerm,
        raftAppliedIndex: index,
        errors: [...member.alarms].map((alarm) => `memberID:${member.id} alarm:${names[alarm as keyof typeof names]} `),
        dbSizeInUse: engine.size,
      })
    }),
    Defragment: unary(anyRequest, () => encode(headerResponse, {})),
    Hash: unary(anyRequest, () => {
      const { history } = member
      return encode(messages.hashResponse, { header: member.header(), hash: hashKv(history, member.compacted, history.revision) })
    }),
    HashKV: unary(messages.hashKvRequest, ({ revision }) => {
      const { history } = member
      if (revision > history.revision) throw refusal('futureRevision')
      if (revision > 0 && revision < history.oldest) throw refusal('compacted')
      const hashRevision = revision || history.revision
      const hash = hashKv(history, member.compacted, hashRevision)
      return encode(messages.hashResponse, { header: member.header(), hash, compactRevision: member.compacted, hashRevision })
    }),
    MoveLeader: refused('badTransferee'),
    Downgrade: unary(messages.downgradeRequest, ({ action, version: target }) => {
      if (action === downgradeActions.cancel) throw refusal('noDowngrade')
      throw target === clusterVersion ? refusal('oneMember') : refusal('badDowngrade')
    }),
  }
}

/** Entries of etcd's log before the first write: its member, its cluster's version. */
const appliedBefore = 3

/** The answers of a server without authentication. */
function auth(member: Member): Methods {
  const header = () => ({ header: member.header() })
  return {
    AuthEnable: refused('noRootUser'),
    AuthDisable: unary(anyRequest, () => encode(headerResponse, header())),
    AuthStatus: unary(anyRequest, () => encode(messages.authStatusResponse, { ...header(), authRevision: 1 })),
    Authenticate: refused('authNotEnabled'),
    UserAdd: refused('noUsers'),
    UserGet: refused('userNotFound'),
    UserList: unary(anyRequest, () => encode(headerResponse, header())),
    UserDelete: refused('userNotFound'),
    UserChangePassword: refused('userNotFound'),
    UserGrantRole: refused('userNotFound'),
    UserRevokeRole: refused('userNotFound'),
    RoleAdd: refused('noUsers'),
    RoleGet: refused('roleNotFound'),
    RoleList: unary(anyRequest, () => encode(headerResponse, header())),
    RoleDelete: refused('roleNotFound'),
    RoleGrantPermission: refused('roleNotFound'),
    RoleRevokePermission: refused('roleNotFound'),
  }
}

type Methods = { readonly [name: string]: Method }

const refused = (problem: Problem): Method =>
  unary(anyRequest, () => {
    throw refusal(problem)
  })

/** All methods of a server with one member. */
export function methodsOf(member: Member): ReadonlyMap<string, Method> {
  const services: { readonly [name: string]: Methods } = {
    KV: kv(member),
    Watch: { Watch: watchMethod(member) },
    Lease: lease(member),
    Cluster: cluster(member),
    Maintenance: maintenance(member),
    Auth: auth(member),
  }
  return new Map(
    Object.entries(services).flatMap(([service, methods]) =>
      Object.entries(methods).map(([name, method]) => [`/etcdserverpb.${service}/${name}`, method] as const),
    ),
  )
}
