import { allowedValuesProblem, disabledProblem } from '../../meta/metrics/selection.ts'
import { ownRelease, releaseBefore } from '../../release.ts'
import { DecodeError } from '../../schema/decode-error.ts'
import { bool, choice, custom, duration, int, map, quantity, string, strings } from '../flag-types.ts'
import { sets } from '../option-flag.ts'

const vmodule = /^[^,=\s]+=\d+(?:,[^,=\s]+=\d+)*$/
/** `v1.2.3` with any suffixes (semver). */
const release = /^v(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)(?:-[\da-zA-Z.-]+)?(?:\+[\da-zA-Z.-]+)?$/

/** `true` and `raw` print the version and exit; another version is the one to report. */
function readVersion(text: string): string {
  if (text === 'true' || text === 'false' || text === 'raw' || release.test(text)) return text
  throw new DecodeError('must be true, false, raw or a version such as v1.36.0')
}

const infoBuffer = quantity({
  default: 0,
  help: 'Bytes of info messages to buffer in this format when streams are split. 0: no buffer. Alpha, needs LoggingAlphaOptions.',
})
const splitStream = bool({
  help: 'In this format, write errors to standard error and the rest to standard output. Alpha, needs LoggingAlphaOptions.',
})

export const runtimeFlags = {
  'feature-gates': strings({
    label: 'component:key=value,…',
    help: 'Turn features on or off, such as WatchList=false, AllAlpha=true or AllBeta=true. The component may be left out.',
  }),
  'runtime-config': map({
    split: 'each',
    bareValue: 'true',
    help: 'Turn built-in APIs on or off: group/version or group/version/resource=true|false (core group: /v1), api/all, api/ga, api/beta or api/alpha=true|false.',
  }),
  'tracing-config-file': string({
    path: 'file',
    kind: 'TracingConfiguration',
    help: 'Path of the TracingConfiguration file. Traces go to its endpoint: OTLP over gRPC.',
  }),
  profiling: bool(sets('general', 'profiling')),
  'contention-profiling': bool(sets('general', 'contentionProfiling')),
  'debug-socket-path': string({
    help: 'Path of a Unix socket that serves profiles without authentication or authorization. Its mode is 0600.',
  }),
  'enable-logs-handler': bool({
    deprecated: 'it will be removed',
    help: 'Serve the files of /var/log at /logs.',
  }),
  'allow-privileged': bool({ ...sets('admission', 'allowPrivileged'), default: false }),
  'allow-metric-labels': map({
    split: 'quoted',
    check: (values) => allowedValuesProblem(values.keys()),
    help: 'Allowed values of a metric label, as metric,label=value,value. Other values are counted as unexpected.',
  }),
  'allow-metric-labels-manifest': string({
    path: 'file',
    kind: 'MetricLabels',
    help: 'Path of a YAML file that maps metric,label to value,value; instead of --allow-metric-labels.',
  }),
  'disabled-metrics': strings({
    check: disabledProblem,
    help: 'Fully qualified names of metrics to disable. Takes precedence over --show-hidden-metrics-for-version.',
  }),
  'show-hidden-metrics-for-version': string({
    label: 'major.minor',
    check: (text) =>
      text === releaseBefore(ownRelease)
        ? undefined
        : `must be omitted or have the value '${releaseBefore(ownRelease)}'; only the previous minor version is allowed`,
    help: 'Show metrics that were hidden after this release; only the previous minor release is allowed.',
  }),
  'logging-format': choice({
    oneOf: ['text', 'json'],
    default: 'text',
    help: 'Format of the log: lines of text as klog writes them, or of JSON.',
  }),
  'log-flush-frequency': duration({
    default: 5_000,
    min: 0.000001,
    help: 'Maximum time between flushes of the buffer of info messages.',
  }),
  'log-json-info-buffer-size': infoBuffer,
  'log-json-split-stream': splitStream,
  'log-text-info-buffer-size': infoBuffer,
  'log-text-split-stream': splitStream,
  v: int({
    default: 0,
    short: 'v',
    min: 0,
    max: 2 ** 31 - 1,
    help: 'Log verbosity. 2 or higher: slow requests with their steps; 3: each request; 4: debug messages.',
  }),
  vmodule: string({
    label: 'pattern=N,…',
    check: (text) => (text === '' || vmodule.test(text) ? undefined : 'must be pattern=N, separated by commas'),
    help: 'Log verbosity of the files with matching names; text format only.',
  }),
  help: bool({ short: 'h', help: 'Print this help and exit.' }),
  version: custom(
    { label: 'version', bare: 'true', read: readVersion, show: (value: string) => value },
    {
      help: '--version or --version=raw prints version information and exits; --version=vX.Y.Z… sets the reported version.',
    },
  ),
}
