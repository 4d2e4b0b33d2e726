/** The flags of `apiserver etcd`, as rows: those of etcd 3.5. */
import { parseDuration } from '../../../core/config/duration.ts'
import { type Flag, FlagError } from '../../../core/flags/flag.ts'
import { bool, choice, custom, duration, int, string, strings } from '../../../core/flags/flag-types.ts'
import { DecodeError } from '../../../core/schema/decode-error.ts'
import { cipherSuites } from '../http/tls.ts'
import { type FlagRows, type FlagValues, readFlag, readFlags } from '../start/command-flags.ts'

const urlProblem = (text: string): string | undefined => {
  if (!/^https?:\/\//.test(text)) return `${JSON.stringify(text)} is no URL with the scheme http or https`
  if (!URL.canParse(text) || !/:\d+\/?$/.test(text)) return `${JSON.stringify(text)} is no URL with a host and a port`
  return undefined
}
const urls = (help: string, value: string) => strings({ default: value === '' ? [] : [value], help, checkItem: urlProblem, lastWins: true })

/** What has a meaning for a member of a larger cluster, or for etcd's own log and database: accepted, and of no effect. */
const ignored = (...names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, string({ default: '', help: 'Accepted; no effect on this server.' })]))

/** What this server can't be or do: only the value that says so is accepted. */
const refused = (value: string, why: string) =>
  string({ default: value, help: `Only ${JSON.stringify(value)}: ${why}.`, check: (given) => (given === value ? undefined : why) })

const refusedSwitch = (why: string) => bool({ help: `Only false: ${why}.`, check: (given) => (given ? why : undefined) })

const hours = 3_600_000

/** A number of hours, or a duration. Of the mode revision: a number of revisions. */
const retention = custom(
  {
    label: 'duration',
    read: (text: string) => {
      if (/^\d+$/.test(text)) return { number: Number(text), milliseconds: Number(text) * hours }
      try {
        return { number: undefined, milliseconds: parseDuration(text) }
      } catch {
        throw new DecodeError('must be a number or a duration such as 5m')
      }
    },
    show: ({ milliseconds }) => String(milliseconds),
  },
  {
    default: { number: 0, milliseconds: 0 },
    help: 'How much history is kept: a duration, or hours; revisions with --auto-compaction-mode=revision. Default: clients compact.',
  },
)

const suiteProblem = (name: string) => (Object.hasOwn(cipherSuites, name) ? undefined : `${name} is no cipher suite that this server knows`)

const alone = 'this server can only be the only member of its cluster'

/** By group, for the help. */
export const etcdFlags = {
  name: string({ default: 'default', help: 'Name of the member.' }),
  'data-dir': string({ default: '', help: 'Directory of the store; :memory: keeps data in memory only. Default: NAME.etcd.' }),
  'listen-client-urls': urls('URLs to listen on for clients.', 'http://localhost:2379'),
  'advertise-client-urls': urls('URLs that the list of members has for clients.', 'http://localhost:2379'),
  'listen-client-http-urls': urls('URLs for probes and metrics; those for clients have them, too.', ''),
  'listen-metrics-urls': urls('URLs for probes and metrics; those for clients have them, too.', ''),
  'max-txn-ops': int({ default: 128, min: 1, help: 'Maximum operations of a transaction.' }),
  'max-request-bytes': int({ default: 1_572_864, min: 1, help: 'Maximum bytes of a request.' }),
  'max-concurrent-streams': int({ default: 4_294_967_295, min: 1, help: 'Maximum calls at once on one connection.' }),
  'quota-backend-bytes': int({ default: 0, help: 'Bytes of the store beyond which it takes no writes. 0: 2 GiB; negative: no limit.' }),
  'auto-compaction-mode': choice({
    oneOf: ['periodic', 'revision'],
    default: 'periodic',
    help: 'What --auto-compaction-retention counts.',
  }),
  'auto-compaction-retention': retention,
  'watch-progress-notify-interval': duration({
    default: 600_000,
    min: 100,
    help: 'Time between notifications of progress to watches that ask for them.',
  }),
  'experimental-watch-progress-notify-interval': duration({ min: 100, help: 'As --watch-progress-notify-interval.' }),
  'heartbeat-interval': int({
    default: 100,
    min: 1,
    help: 'Milliseconds; with --election-timeout the minimum time to live of leases follows from it.',
  }),
  'election-timeout': int({ default: 1_000, min: 1, help: 'Milliseconds; the minimum time to live of leases is 1.5 times as long.' }),
  'unsafe-no-fsync': bool({ help: 'Do not wait for the disk: writes survive the end of the process, but not that of the host.' }),

  'cert-file': string({ default: '', path: 'file', help: 'Certificate for URLs with https.' }),
  'key-file': string({ default: '', path: 'file', help: 'Key of --cert-file.' }),
  'client-cert-auth': bool({ help: 'Require certificates of clients, of --trusted-ca-file.' }),
  'trusted-ca-file': string({ default: '', path: 'file', help: 'CA bundle of client certificates, which are then required.' }),
  'tls-min-version': choice({ oneOf: ['', 'TLS1.2', 'TLS1.3'], default: 'TLS1.2', help: 'Minimum version of TLS.' }),
  'tls-max-version': choice({ oneOf: ['', 'TLS1.2', 'TLS1.3'], default: '', help: 'Maximum version of TLS; default: the newest.' }),
  'cipher-suites': strings({ checkItem: suiteProblem, help: 'Cipher suites of TLS 1.2; default: those of the runtime.' }),
  'auto-tls': refusedSwitch('give --cert-file and --key-file'),
  'client-crl-file': refused('', 'certificates are not revoked by list'),
  'client-cert-allowed-hostname': refused('', 'all certificates of --trusted-ca-file are allowed'),

  'initial-cluster': string({ default: '', help: `Members as NAME=URL,…: ${alone}.` }),
  'initial-advertise-peer-urls': urls('URLs that the list of members has for peers, and that make its ID.', 'http://localhost:2380'),
  'listen-peer-urls': urls('Accepted; there are no peers.', 'http://localhost:2380'),
  'initial-cluster-token': string({ default: 'etcd-cluster', help: 'Makes the ID of the cluster, with the URLs.' }),
  'initial-cluster-state': choice({
    oneOf: ['new', 'existing'],
    default: 'new',
    help: 'existing: only with a data directory that has a store.',
  }),
  discovery: refused('', alone),
  'discovery-proxy': refused('', alone),
  'discovery-srv': refused('', alone),
  'discovery-srv-name': refused('', alone),
  proxy: refused('off', 'this server is no proxy'),
  'experimental-enable-v2v3': refused('', 'this server has no API of version 2'),
  'enable-v2': refusedSwitch('this server has no API of version 2'),
  'config-file': refused('', 'this server takes flags and environment variables only'),

  'log-level': choice({
    oneOf: ['debug', 'info', 'warn', 'error', 'panic', 'fatal'],
    default: 'info',
    help: 'Least severe messages to log.',
  }),
  'log-outputs': strings({ default: ['default'], help: 'stderr, stdout, or paths of files.' }),
  version: bool({ help: 'Print the version and exit.' }),
  help: bool({ short: 'h', help: 'Print this and exit.' }),

  ...ignored(
    'wal-dir',
    'snapshot-count',
    'max-snapshots',
    'max-wals',
    'initial-election-tick-advance',
    'backend-bbolt-freelist-type',
    'backend-batch-interval',
    'backend-batch-limit',
    'grpc-keepalive-min-time',
    'grpc-keepalive-interval',
    'grpc-keepalive-timeout',
    'raft-read-timeout',
    'raft-write-timeout',
    'discovery-fallback',
    'client-cert-file',
    'client-key-file',
    'peer-cert-file',
    'peer-key-file',
    'peer-trusted-ca-file',
    'peer-cert-allowed-cn',
    'peer-cert-allowed-hostname',
    'peer-client-cert-file',
    'peer-client-key-file',
    'peer-crl-file',
    'self-signed-cert-validity',
    'v2-deprecation',
    'cors',
    'host-whitelist',
    'auth-token',
    'auth-token-ttl',
    'bcrypt-cost',
    'metrics',
    'logger',
    'log-format',
    'log-rotation-config-json',
    'proxy-failure-wait',
    'proxy-refresh-interval',
    'proxy-dial-timeout',
    'proxy-write-timeout',
    'proxy-read-timeout',
    'experimental-distributed-tracing-address',
    'experimental-distributed-tracing-service-name',
    'experimental-distributed-tracing-instance-id',
    'experimental-distributed-tracing-sampling-rate',
    'experimental-corrupt-check-time',
    'experimental-compact-hash-check-time',
    'experimental-compaction-batch-limit',
    'experimental-compaction-sleep-interval',
    'experimental-downgrade-check-time',
    'experimental-warning-apply-duration',
    'experimental-warning-unary-request-duration',
    'experimental-bootstrap-defrag-threshold-megabytes',
    'experimental-max-learners',
    'experimental-snapshot-catchup-entries',
    'corrupt-check-time',
    'compact-hash-check-time',
    'compaction-batch-limit',
    'compaction-sleep-interval',
    'downgrade-check-time',
    'warning-apply-duration',
    'warning-unary-request-duration',
    'bootstrap-defrag-threshold-megabytes',
    'max-learners',
    'snapshot-catchup-entries',
    'feature-gates',
  ),
  ...Object.fromEntries(
    [
      'strict-reconfig-check',
      'pre-vote',
      'enable-grpc-gateway',
      'enable-pprof',
      'socket-reuse-port',
      'socket-reuse-address',
      'peer-client-cert-auth',
      'peer-auto-tls',
      'peer-skip-client-san-verification',
      'enable-log-rotation',
      'experimental-enable-distributed-tracing',
      'experimental-initial-corrupt-check',
      'experimental-compact-hash-check-enabled',
      'experimental-enable-lease-checkpoint',
      'experimental-enable-lease-checkpoint-persist',
      'experimental-peer-skip-client-san-verification',
      'experimental-memory-mlock',
      'experimental-txn-mode-write-with-shared-buffer',
      'experimental-stop-grpc-service-on-defrag',
      'memory-mlock',
      'debug',
    ].map((name) => [name, bool({ help: 'Accepted; no effect on this server.' })]),
  ),
  'force-new-cluster': bool({ help: 'Accepted; a cluster has one member anyway.' }),
} satisfies { readonly [name: string]: Flag }

export type EtcdFlagName = keyof typeof etcdFlags
export type EtcdFlags = FlagValues<typeof etcdFlags>

const prefix = 'ETCD_'

/** The values of a command line, and of the environment where it has none. @throws FlagError. */
export function parseEtcdFlags(argv: readonly string[], environment: NodeJS.ProcessEnv): EtcdFlags {
  const rows: FlagRows = etcdFlags
  const values = new Map<string, unknown>()
  for (const [variable, text] of Object.entries(environment)) {
    const name = variable.startsWith(prefix) ? variable.slice(prefix.length).toLowerCase().replaceAll('_', '-') : ''
    const row = Object.hasOwn(rows, name) ? rows[name] : undefined
    if (row !== undefined && text !== undefined && text !== '')
      values.set(
        name,
        named(variable, () => readFlag(row, name, text)),
      )
  }
  return readFlags(etcdFlags, argv, values)
}

function named<T>(variable: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    throw error instanceof FlagError ? new FlagError(`${variable}: ${error.message}`) : error
  }
}
