/** `apiserver check PATH…`: manifests judged by this server's decoder, defaults, validation and admission, without a cluster. */
import { parseArgs } from 'node:util'
import { FlagError } from '../../../core/flags/flag.ts'
import { parseFlags } from '../../../core/flags/parse.ts'
import { messageOf } from '../../../core/schema/message-of.ts'
import type { JsonObject } from '../../../core/schema/model.ts'
import type { ServerOptions } from '../../../core/server.ts'
import { keepRunning } from '../clock.ts'
import { serverOptions } from '../start/options.ts'
import { type Cluster, openCluster } from './cluster.ts'
import { Exercised } from './exercised.ts'
import { copyOf, Judge } from './judge.ts'
import { groupOf, isDefinition } from './kinds.ts'
import { loadManifests, type Manifest } from './manifests.ts'
import { passed, type Results, reports } from './report.ts'
import { startServer } from './server.ts'

/** Flags of the server that change what it accepts. */
const serverFlags = [
  'feature-gates',
  'runtime-config',
  'enable-admission-plugins',
  'disable-admission-plugins',
  'service-cluster-ip-range',
] as const

const options = {
  release: { type: 'string' },
  against: { type: 'string' },
  schemas: { type: 'string', multiple: true },
  namespace: { type: 'string', short: 'n' },
  output: { type: 'string', short: 'o' },
  'skip-unknown-kinds': { type: 'boolean' },
  unexercised: { type: 'boolean' },
  ...(Object.fromEntries(serverFlags.map((name) => [name, { type: 'string', multiple: true }])) as {
    [N in (typeof serverFlags)[number]]: { type: 'string'; multiple: true }
  }),
} as const

function argumentsOf(argv: readonly string[]) {
  try {
    return parseArgs({ args: [...argv], options, strict: true, allowPositionals: true })
  } catch (error) {
    const [first = ''] = messageOf(error).split('. ')
    throw new FlagError(`check: ${first}; see check --help`)
  }
}

/** Addresses for more services than the usual range of 256 has. */
const serviceRange = '10.0.0.0/16'

type Flags = ReturnType<typeof argumentsOf>['values']

function optionsOf(flags: Flags, program: string): ServerOptions {
  const given = serverFlags.flatMap((name) => (flags[name] ?? []).map((value) => `--${name}=${value}`))
  const emulated = flags.release === undefined ? [] : [`--emulated-version=${flags.release}`]
  const fixed = [
    '--platform=kubernetes',
    '--allow-privileged',
    // Requests come one at a time. The objects of priority and fairness exist all the same.
    '--enable-priority-and-fairness=false',
    // An object is judged whether its owners exist or not. The collector would delete it while others are judged.
    '--enable-garbage-collector=false',
    `--service-cluster-ip-range=${serviceRange}`,
  ]
  const parsed = parseFlags([...fixed, ...emulated, ...given], program)
  return serverOptions(parsed)
}

/** The definitions of a cluster whose groups the manifests use and do not define. */
async function definitionsOf(cluster: Cluster, manifests: readonly Manifest[]): Promise<JsonObject[]> {
  const given = new Set(manifests.filter(isDefinition).map(({ object }) => (object['metadata'] as { name?: string } | undefined)?.name))
  const groups = new Set(manifests.map(({ apiVersion }) => groupOf(apiVersion)))
  const list = await cluster.get('/apis/apiextensions.k8s.io/v1/customresourcedefinitions')
  const items = (list?.['items'] ?? []) as { metadata: { name: string }; spec: { group: string } }[]
  return items
    .filter(({ metadata, spec }) => groups.has(spec.group) && !given.has(metadata.name))
    .map((item) => ({ apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', ...item }) as unknown as JsonObject)
}

/** Objects that make kinds known and are not judged themselves. */
async function load(judge: Judge, manifests: readonly Manifest[], source: string): Promise<void> {
  for (const { manifest, problems } of await judge.judge(manifests))
    for (const { line, message } of problems) throw new FlagError(`check: ${source}: ${manifest.file}:${line}: ${message}`)
}

function manifestOf(file: string, object: JsonObject): Manifest {
  const { apiVersion, kind } = object as { apiVersion: string; kind: string }
  return { file, line: 1, apiVersion, kind, object, body: JSON.stringify(object), lineOf: () => 1 }
}

/** Shows how far the check is, on a terminal. */
function progressOf(total: number): { shown(judged: number): void; end(): void } {
  const { stderr } = process
  if (!stderr.isTTY) return { shown() {}, end() {} }
  return {
    shown(judged) {
      if (judged % 50 === 0) stderr.write(`\r${judged} of ${total} objects`)
    },
    end: () => void stderr.write('\r\x1b[K'),
  }
}

/**
 * Runs the command with its arguments and writes its report. Resolves to the exit status: 1 when an object was refused. Rejects with a one-line
 * error.
 */
export async function check(argv: readonly string[], program: string, write: (text: string) => void): Promise<number> {
  const { values: flags, positionals: paths } = argumentsOf(argv)
  if (paths.length === 0) throw new FlagError('check: no manifests; use: check PATH…, with - for standard input')
  const report = Object.hasOwn(reports, flags.output ?? 'text') ? reports[flags.output ?? 'text'] : undefined
  if (report === undefined) throw new FlagError(`check: --output: must be one of ${Object.keys(reports).join(', ')}`)
  const { objects, unreadable } = loadManifests(paths)
  const schemas = loadManifests(flags.schemas ?? []).objects.filter(isDefinition)
  const cluster = flags.against === undefined ? undefined : await openCluster(flags.against)
  const exercised = flags.unexercised ? new Exercised() : undefined
  const server = await startServer(optionsOf(flags, program))
  const end = keepRunning()
  const progress = progressOf(objects.length)
  try {
    const judge: Judge = new Judge(server, {
      namespace: flags.namespace ?? 'default',
      skipUnknown: flags['skip-unknown-kinds'] ?? false,
      ...(cluster && { existing: (path) => cluster.get(path) }),
      ...(exercised && {
        isWarning: (text) => exercised.isWarning(text),
        async judged(manifest, stored, isUpdate) {
          const twin = exercised.judged(manifest, stored, isUpdate)
          if (twin !== undefined) await judge.store(twin)
        },
      }),
    })
    await load(judge, schemas, '--schemas')
    if (cluster) {
      const definitions = await definitionsOf(cluster, objects)
      await load(
        judge,
        definitions.map((object) => manifestOf('--against', copyOf(object))),
        '--against',
      )
    }
    const verdicts = await judge.judge(objects, progress.shown)
    const results: Results = { verdicts, unreadable, ...(exercised && { unexercised: exercised.missing() }) }
    progress.end()
    write(report(results))
    return passed(results) ? 0 : 1
  } finally {
    await server.close()
    end()
  }
}
