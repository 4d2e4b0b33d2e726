/** The methods of etcd's API, by path. */
import { randomLeaseId } from '../stores/mvcc.ts'
import { type Method, unary } from './calls.ts'
import { type Problem, refusal } from './errors.ts'
import { hashKv } from './hash.ts'
import { alarms, clusterVersion, type Member, raftTerm, version } from './member.ts'
import { decode } from './message.ts'
import * as messages from './messages.ts'
import { checkRange, range } from './range.ts'
import { snapshotMethod } from './snapshot.ts'
import { checkDelete, checkPut, checkTxn, commitDelete, commitPut, commitTxn, isReadOnly, type Store } from './transactions.ts'
import { committed } from './views.ts'
import { watchMethod } from './watch.ts'

const { emptyRequest, headerResponse } = messages

/** Maximum seconds of a lease (lease.MaxLeaseTTL). */
const maxLeaseSeconds = 9_000_000_000

const storeOf = ({ history, options: { engine } }: Member): Store => ({
  history,
  leases: engine.leases,
  commit: (decide) => engine.commit(decide),
})

function kv(member: Member): Methods {
  const { options } = member
  return {
    Range: unary(
      messages.rangeRequest,
      messages.rangeResponse,
      (request) => {
        checkRange(request)
        member.checkRead()
        return member.complete(range(member.history, committed(member.history), request))
      },
      messages.rangeBytes,
    ),
    Put: unary(messages.putRequest, messages.putResponse, async (request, bytes) => {
      checkPut(request)
      member.checkWrite(bytes)
      return member.complete(await commitPut(storeOf(member), request))
    }),
    DeleteRange: unary(messages.deleteRangeRequest, messages.deleteRangeResponse, async (request, bytes) => {
      checkDelete(request)
      member.checkWrite(bytes, false)
      return member.complete(await commitDelete(storeOf(member), request))
    }),
    Txn: unary(messages.txnRequest, messages.txnResponse, async (request, bytes) => {
      checkTxn(request, options.maxTxnOps)
      if (isReadOnly(request)) member.checkRead()
      else member.checkWrite(bytes, puts(request))
      return member.complete(await commitTxn(storeOf(member), request))
    }),
    Compact: unary(messages.compactionRequest, headerResponse, async ({ revision }) => {
      const { history } = member
      if (revision <= member.compacted) throw refusal('compacted')
      if (revision > history.revision) throw refusal('futureRevision')
      member.compact(revision)
      await options.engine.compact(revision)
      return { header: member.header() }
    }),
  }
}

const puts = ({ success, failure }: messages.TxnRequest): boolean =>
  [success, failure].some((ops) => ops.some(({ put, txn }) => put !== undefined || (txn !== undefined && puts(txn))))

function lease(member: Member): Methods {
  const { engine, minLeaseSeconds } = member.options
  return {
    LeaseGrant: unary(messages.leaseGrantRequest, messages.leaseGrantResponse, async ({ id, ttl }, bytes) => {
      if (ttl > maxLeaseSeconds) throw refusal('ttlTooLarge')
      member.checkWrite(bytes)
      const given = id === 0n ? randomLeaseId() : id
      if (engine.leases.has(given)) throw refusal('leaseExists')
      const seconds = Math.max(ttl, minLeaseSeconds)
      await engine.grant({ id: given, expires: 0, seconds })
      return { header: member.header(), id: given, ttl: seconds }
    }),
    LeaseRevoke: unary(messages.leaseRequest, headerResponse, async ({ id }) => {
      if (!engine.leases.has(id)) throw refusal('leaseNotFound')
      return { header: member.header(await engine.revoke(id)) }
    }),
    LeaseKeepAlive: {
      request: messages.leaseRequest,
      isStream: true,
      open: (call) => ({
        message(message) {
          const { id } = decode(messages.leaseRequest, message)
          const header = member.header()
          call.send(messages.leaseKeepAliveResponse, { header, id, ttl: engine.leases.renew(id) ?? 0 })
        },
        end: () => call.finish(),
      }),
    },
    LeaseTimeToLive: unary(messages.leaseTimeToLiveRequest, messages.leaseTimeToLiveResponse, ({ id, keys }) => {
      const times = engine.leases.times(id)
      const found = times && {
        ttl: Math.max(0, Math.floor(times.remaining)),
        grantedTtl: times.granted,
        ...(keys && { keys: engine.leases.keys(id) }),
      }
      return { header: member.header(), id, ttl: -1, ...found }
    }),
    LeaseLeases: unary(emptyRequest, messages.leaseLeasesResponse, () => {
      const { leases } = engine
      const remaining = (id: bigint) => leases.times(id)?.remaining ?? 0
      const sorted = leases.ids().toSorted((a, b) => remaining(a) - remaining(b))
      return { header: member.header(), leases: sorted.map((id) => ({ id })) }
    }),
  }
}

function cluster(member: Member): Methods {
  const { name, peerUrls, clientUrls } = member.options
  const change = unary(messages.memberRequest, headerResponse, ({ id }) => {
    throw refusal(id === member.id ? 'oneMember' : 'memberNotFound')
  })
  return {
    MemberList: unary(messages.memberListRequest, messages.memberListResponse, () => {
      const members = [{ id: member.id, name, peerUrls, clientUrls }]
      return { header: member.header(0), members }
    }),
    MemberAdd: refused('oneMember'),
    MemberRemove: change,
    MemberUpdate: change,
    MemberPromote: change,
  }
}

const downgradeActions = { validate: 0, enable: 1, cancel: 2 } as const
const alarmActions = { get: 0, activate: 1, deactivate: 2 } as const

function maintenance(member: Member): Methods {
  const { engine } = member.options
  const alarmed = (types: readonly number[]) => ({
    header: member.header(),
    alarms: types.map((alarm) => ({ memberId: member.id, alarm })),
  })
  return {
    Alarm: unary(messages.alarmRequest, messages.alarmResponse, ({ action, alarm }) => {
      if (action === alarmActions.get) return alarmed([...member.alarms].filter((each) => alarm === alarms.none || each === alarm))
      if (alarm === alarms.none) return alarmed([])
      if (action === alarmActions.activate) {
        member.alarms.add(alarm)
        return alarmed([alarm])
      }
      return alarmed(member.alarms.delete(alarm) ? [alarm] : [])
    }),
    Status: unary(emptyRequest, messages.statusResponse, () => {
      const { history } = member
      const names = { [alarms.noSpace]: 'NOSPACE', [alarms.corrupt]: 'CORRUPT' } as const
      const index = history.revision + appliedBefore
      return {
        header: member.header(),
        version,
        dbSize: engine.size,
        leader: member.id,
        raftIndex: index,
        raftTerm,
        raftAppliedIndex: index,
        errors: [...member.alarms].map((alarm) => `memberID:${member.id} alarm:${names[alarm as keyof typeof names]} `),
        dbSizeInUse: engine.size,
      }
    }),
    Snapshot: snapshotMethod(member),
    Defragment: unary(emptyRequest, headerResponse, () => ({})),
    Hash: unary(emptyRequest, messages.hashResponse, () => {
      const { history } = member
      return { header: member.header(), hash: hashKv(history, member.compacted, history.revision) }
    }),
    HashKV: unary(messages.hashKvRequest, messages.hashResponse, ({ revision }) => {
      const { history } = member
      if (revision > history.revision) throw refusal('futureRevision')
      if (revision > 0 && revision < history.oldest) throw refusal('compacted')
      const hash = hashKv(history, member.compacted, revision || history.revision)
      return { header: member.header(), hash, compactRevision: member.compacted }
    }),
    MoveLeader: refused('badTransferee'),
    Downgrade: unary(messages.downgradeRequest, headerResponse, ({ action, version: target }) => {
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
    AuthDisable: unary(emptyRequest, headerResponse, header),
    AuthStatus: unary(emptyRequest, messages.authStatusResponse, () => ({ ...header(), authRevision: 1 })),
    Authenticate: refused('authNotEnabled'),
    UserAdd: refused('noUsers'),
    UserGet: refused('userNotFound'),
    UserList: unary(emptyRequest, headerResponse, header),
    UserDelete: refused('userNotFound'),
    UserChangePassword: refused('userNotFound'),
    UserGrantRole: refused('userNotFound'),
    UserRevokeRole: refused('userNotFound'),
    RoleAdd: refused('noUsers'),
    RoleGet: refused('roleNotFound'),
    RoleList: unary(emptyRequest, headerResponse, header),
    RoleDelete: refused('roleNotFound'),
    RoleGrantPermission: refused('roleNotFound'),
    RoleRevokePermission: refused('roleNotFound'),
  }
}

type Methods = { readonly [name: string]: Method }

const refused = (problem: Problem): Method =>
  unary(emptyRequest, headerResponse, () => {
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
