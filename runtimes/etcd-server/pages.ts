/** The pages that etcd has for probes, beside its API: paths, statuses and bodies of etcd 3.5. */
import { CallError } from '../../core/ports.ts'
import { alarms, clusterVersion, type Member, version } from './member.ts'

export interface Page {
  readonly status: number
  readonly type: string
  readonly body: string
}

const json = (status: number, value: object): Page => ({ status, type: 'application/json', body: JSON.stringify(value) })
const text = (status: number, body: string): Page => ({ status, type: 'text/plain; charset=utf-8', body })
const notFound = text(404, '404 page not found\n')

/** A probe of the whole member: an alarm fails it, unless the query excludes it. */
function health(member: Member, excluded: readonly string[]): Page {
  const failing = { [alarms.noSpace]: 'ALARM NOSPACE', [alarms.corrupt]: 'ALARM CORRUPT' } as const
  const reasons = Object.entries(failing).filter(
    ([type, reason]) => member.alarms.has(Number(type)) && !excluded.includes(reason.slice('ALARM '.length)),
  )
  const reason = reasons[0]?.[1] ?? ''
  return reason === '' ? json(200, { health: 'true', reason: '' }) : json(503, { health: 'false', reason })
}

/** Checks of a page, by name; undefined: it succeeds. */
type Checks = { readonly [name: string]: (member: Member) => string | undefined }

const corruption = (member: Member) => (member.alarms.has(alarms.corrupt) ? 'alarm activated: CORRUPT' : undefined)
const serializable = () => undefined
const livezChecks: Checks = { serializable_read: serializable }
const readyzChecks: Checks = { data_corruption: corruption, serializable_read: serializable, linearizable_read: serializable }

function checked(name: string, checks: Checks, member: Member, query: URLSearchParams): Page {
  const excluded = query.getAll('exclude')
  const results = Object.entries(checks)
    .filter(([check]) => !excluded.includes(check))
    .map(([check, run]) => [check, run(member)] as const)
  const failed = results.some(([, problem]) => problem !== undefined)
  const lines = results
    .map(([check, problem]) => (problem === undefined ? `[+]${check} ok\n` : `[-]${check} failed: ${problem}\n`))
    .join('')
  if (failed) return text(503, `${lines}${name} check failed\n`)
  return text(200, query.has('verbose') ? `${lines}${name} check passed\n` : 'ok\n')
}

/** Number of ended calls by path, and by code. */
export type Calls = ReadonlyMap<string, readonly number[]>

/** Methods with several messages. */
const streams: { readonly [path: string]: string } = {
  '/etcdserverpb.Watch/Watch': 'bidi_stream',
  '/etcdserverpb.Lease/LeaseKeepAlive': 'bidi_stream',
  '/etcdserverpb.Maintenance/Snapshot': 'server_stream',
}

function handledLine(path: string, code: number, count: number): string {
  const [, service = '', method = ''] = path.split('/')
  const labels = {
    grpc_code: new CallError(code, '').codeName,
    grpc_method: method,
    grpc_service: service,
    grpc_type: streams[path] ?? 'unary',
  }
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${value}"`)
  return `grpc_server_handled_total{${pairs}} ${count}`
}

/** Metrics that probes and dashboards of etcd ask for first. */
function metrics(member: Member, calls: Calls): Page {
  const lines = rows.flatMap(([name, type, help, value]) => [
    `# HELP ${name} ${help}`,
    `# TYPE ${name} ${type}`,
    `${name} ${value(member)}`,
  ])
  const handled = [...calls].flatMap(([path, counts]) => counts.map((count, code) => handledLine(path, code, count)).filter(Boolean))
  const head = [
    '# HELP grpc_server_handled_total Total number of RPCs completed on the server, regardless of success or failure.',
    '# TYPE grpc_server_handled_total counter',
  ]
  const info = [
    `# HELP etcd_server_version Which version is running. 1 for 'server_version' label with current version.`,
    '# TYPE etcd_server_version gauge',
    `etcd_server_version{server_version="${version}"} 1`,
  ]
  return { status: 200, type: 'text/plain; version=0.0.4; charset=utf-8', body: `${[...lines, ...info, ...head, ...handled].join('\n')}\n` }
}

type Row = readonly [name: string, type: 'gauge' | 'counter', help: string, value: (member: Member) => number]

const rows: readonly Row[] = [
  ['etcd_server_has_leader', 'gauge', 'Whether or not a leader exists. 1 is existence, 0 is not.', () => 1],
  ['etcd_server_is_leader', 'gauge', 'Whether or not this member is a leader. 1 if is, 0 otherwise.', () => 1],
  ['etcd_server_leader_changes_seen_total', 'counter', 'The number of leader changes seen.', () => 1],
  [
    'etcd_mvcc_db_total_size_in_bytes',
    'gauge',
    'Total size of the underlying database physically allocated in bytes.',
    ({ options }) => options.engine.size,
  ],
  [
    'etcd_mvcc_db_total_size_in_use_in_bytes',
    'gauge',
    'Total size of the underlying database logically in use in bytes.',
    ({ options }) => options.engine.size,
  ],
  ['etcd_server_quota_backend_bytes', 'gauge', 'Current backend storage quota size in bytes.', ({ options }) => options.quotaBytes],
  ['etcd_debugging_mvcc_current_revision', 'gauge', 'The current revision of store.', ({ history }) => history.revision],
  ['etcd_debugging_mvcc_compact_revision', 'gauge', 'The revision of the last compaction in store.', ({ compacted }) => compacted],
  ['process_resident_memory_bytes', 'gauge', 'Resident memory size in bytes.', () => process.memoryUsage.rss()],
  ['process_cpu_seconds_total', 'counter', 'Total user and system CPU time spent in seconds.', () => processorSeconds(process.cpuUsage())],
  ['etcd_debugging_mvcc_keys_total', 'gauge', 'Total number of keys.', ({ history }) => history.count('')],
]

const processorSeconds = ({ user, system }: NodeJS.CpuUsage) => (user + system) / 1e6

/** The page of a path with its query. */
export function pageOf(member: Member, target: string, calls: Calls): Page {
  const { pathname, searchParams } = new URL(target, 'http://etcd')
  switch (pathname) {
    case '/health':
      return health(member, searchParams.getAll('exclude'))
    case '/livez':
      return checked('livez', livezChecks, member, searchParams)
    case '/readyz':
      return checked('readyz', readyzChecks, member, searchParams)
    case '/version':
      return json(200, { etcdserver: version, etcdcluster: clusterVersion })
    case '/metrics':
      return metrics(member, calls)
    default:
      return notFound
  }
}
