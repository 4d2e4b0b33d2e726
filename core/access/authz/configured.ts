/** Authorizers selected by modes and files. */

import { all, type MaybePromise, then } from '../../common/maybe-promise.ts'
import { followFile, readFileText } from '../../config/follow-file.ts'
import type { ReloadReports } from '../../config/reload-metrics.ts'
import type { WatchableStore } from '../../objects/watch/feed.ts'
import type { Platform } from '../../platform.ts'
import type { Ports } from '../../ports.ts'
import { type Policy, parsePolicyFile } from './abac-policy.ts'
import type { Authorizer } from './authorizer.ts'
import type { Row, rowOfFlags, rowsOfFile } from './file/rows.ts'
import type { AuthorizationMetrics } from './metrics.ts'
import { createAuthorizer } from './modes.ts'
import { followNodes } from './node-follow.ts'
import type { RbacIndex } from './rbac-index.ts'
import { noRules } from './rules.ts'
import type { ReviewVersion } from './webhook-review.ts'

/** Paths of authorization files. */
export interface AuthorizationFiles {
  /** AuthorizationConfiguration file; replaces the modes, and is reloaded when it changes. */
  readonly configuration?: string
  /** Policy file of mode ABAC. */
  readonly policy?: string
  /** Webhook of mode Webhook; times in milliseconds. */
  readonly webhook?: {
    readonly connection: string
    readonly version: ReviewVersion
    readonly authorizedTtl: number
    readonly unauthorizedTtl: number
  }
  /** URL of the cluster in which this process is a pod, for `InClusterConfig`; absent: not in a pod. */
  readonly clusterServer?: string
}

/** What makes rows of webhooks and configuration files. */
export interface AuthorizationRows {
  readonly rowOfFlags: typeof rowOfFlags
  readonly rowsOfFile: typeof rowsOfFile
}

export interface AuthorizationContext {
  /** Values of `--authorization-mode`; ignored with a configuration file. */
  readonly modes: readonly string[]
  readonly files: AuthorizationFiles
  /** Called when there are webhooks or a configuration file. */
  rows(): Promise<AuthorizationRows>
  readonly platform: Platform
  readonly ports: Pick<Ports, 'clock' | 'files' | 'outbound' | 'telemetry'>
  readonly rbac: RbacIndex
  readonly metrics: AuthorizationMetrics
  /** Receives what becomes of the configuration file. */
  readonly reloads: ReloadReports
  /** Whether a feature gate is on. */
  enabled(gate: string): boolean
  storeOf(group: string, plural: string): WatchableStore | undefined
}

export interface Authorization {
  readonly authorizer: Authorizer
  /** Types of authorizers in order. They never change, except for the number of webhooks. */
  readonly types: readonly string[]
  close(): void
}

const typesOf = (rows: readonly Row[]) => rows.map(({ type }) => type)
const fixedTypes = (rows: readonly Row[]) =>
  typesOf(rows)
    .filter((type) => type !== 'Webhook')
    .sort()
    .join(', ')

async function readPolicies({ platform, ports }: AuthorizationContext, path: string): Promise<readonly Policy[]> {
  const { policies, unversioned } = parsePolicyFile(await readFileText(ports.files, path), path, platform)
  if (unversioned > 0)
    ports.telemetry.logger.warn(
      { file: path, lines: unversioned },
      'ABAC policy file has lines in the unversioned format, without apiVersion and kind',
    )
  return policies
}

/** Rejects with an Error when a file can't be used. A plain value without files and webhooks. */
export function createAuthorization(context: AuthorizationContext): MaybePromise<Authorization> {
  return context.files.policy === undefined
    ? authorizationWith(context, undefined)
    : readPolicies(context, context.files.policy).then((policies) => authorizationWith(context, policies))
}

function authorizationWith(context: AuthorizationContext, policies: readonly Policy[] | undefined): MaybePromise<Authorization> {
  const { files, modes, platform, ports, rbac, enabled, metrics } = context
  const nodes = followNodes(context.storeOf, ports.clock, platform, (operation, took) => metrics.graph.observe([operation], took / 1000))
  const close = () => nodes.close()

  function build(rows: readonly Row[]): MaybePromise<Authorizer> {
    if (policies === undefined && rows.some(({ type }) => type === 'ABAC')) throw new Error('authorization mode ABAC needs a policy file')
    const entries = rows.map(({ webhook, ...named }) => (webhook ? webhook(context).then((made) => ({ ...named, webhook: made })) : named))
    return then(all(entries), (made) => createAuthorizer(made, { platform, rbac, nodes, enabled, policies: policies ?? [], metrics }))
  }

  if (files.configuration !== undefined) return configured(context, files.configuration, build, close)
  const ofRows = (rows: readonly Row[]) => then(build(rows), (authorizer) => ({ authorizer, types: typesOf(rows), close }))
  return modes.includes('Webhook') ? rowsOfModes(context).then(ofRows) : ofRows(modes.map((type) => ({ type })))
}

async function rowsOfModes({ modes, files, rows }: AuthorizationContext): Promise<Row[]> {
  const { rowOfFlags } = await rows()
  return modes.map((type) => (type === 'Webhook' ? rowOfFlags(files) : { type }))
}

/** Follows a configuration file: invalid new content is logged, and the last good one stays. */
async function configured(
  { platform, ports, reloads, rows: fromFile }: AuthorizationContext,
  path: string,
  build: (rows: readonly Row[]) => MaybePromise<Authorizer>,
  closeOthers: () => void,
): Promise<Authorization> {
  const text = await readFileText(ports.files, path)
  const { rowsOfFile } = await fromFile()
  const first = rowsOfFile(text, path, platform)
  let current = await build(first)
  reloads.using(text)
  const stopWatching = followFile({
    path,
    files: ports.files,
    logger: ports.telemetry.logger,
    text,
    what: 'authorization configuration',
    reloaded: reloads.reloaded,
    load(changed) {
      const rows = rowsOfFile(changed, path, platform)
      if (fixedTypes(rows) !== fixedTypes(first)) {
        throw new Error(`${path}: authorizers: the types must stay ${fixedTypes(first) || 'Webhook'} while the server runs`)
      }
      return build(rows)
    },
    use(next) {
      current = next
    },
  })
  return {
    authorizer: {
      name: 'AuthorizationConfiguration',
      authorize: (attributes, context) => current.authorize(attributes, context),
      rulesFor: (user, namespace) => current.rulesFor?.(user, namespace) ?? noRules,
    },
    types: typesOf(first),
    close() {
      stopWatching()
      closeOthers()
    },
  }
}
