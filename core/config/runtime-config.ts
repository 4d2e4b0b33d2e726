/** Selects the served built-in APIs: defaults, changed by --runtime-config. */

import type { Platform } from '../platform.ts'
import { isReached, ownRelease, type Release } from '../release.ts'
import type { ResourceDefinition } from '../resources/definition.ts'
import { DecodeError } from '../schema/decode-error.ts'
import { parseBool } from '../schema/formats/bool.ts'
import { compareVersions } from '../schema/formats/version-order.ts'

/** The fields of a definition that decide. The group may have placeholders or the platform's names. */
export type RuntimeConfigRow = Pick<ResourceDefinition, 'group' | 'version' | 'names' | 'servedByDefault' | 'lifecycle'>

export interface RuntimeConfig {
  servesVersion(definition: RuntimeConfigRow): boolean
}

export interface RuntimeConfigOptions {
  readonly platform: Platform
  /** Emulated release; absent: the server's own. */
  readonly emulated?: Release
  /** If a version is served, also serve its later and more stable versions (--emulation-forward-compatible). */
  readonly laterVersions?: boolean
  /** Explicit entries may enable APIs introduced after the emulated release (--runtime-config-emulation-forward-compatible). */
  readonly laterEntries?: boolean
}

/** Keys for groups of versions; later ones take precedence. */
const matchers = new Map([
  ['api/all', /^/],
  ['api/ga', /^v\d+$/],
  ['api/beta', /^v\d+beta\d+$/],
  ['api/alpha', /^v\d+alpha\d+$/],
])

const fail = (reason: string) => new DecodeError(reason)

interface Entry {
  readonly key: string
  readonly group: string
  readonly version: string
  readonly resource: string | undefined
  readonly on: boolean
}

/** Parses `apps/v1` or `apps/v1/deployments`; the core group is empty or `api`: `/v1`, `api/v1`. As in the reference, `v1` alone is no key. */
function readEntry(key: string, text: string): Entry {
  const parts = key.split('/')
  const [first = '', version = '', resource] = parts
  const group = first === 'api' ? '' : first
  if (parts.length > 3 || version === '' || resource === '')
    throw fail(`invalid key ${key}: must be group/version or group/version/resource; the core group's version is /v1`)
  if (resource !== undefined && resource !== resource.toLowerCase()) {
    throw fail(`invalid key ${key}: group/version/resource and resource is always lowercase plural, not ${JSON.stringify(resource)}`)
  }
  const on = parseBool(text === '' ? 'true' : text)
  if (on === undefined) throw fail(`invalid value of ${key}: ${text}: must be true or false`)
  return { key, group, version, resource, on }
}

function checkKnown(entries: readonly Entry[], known: readonly RuntimeConfigRow[], options: RuntimeConfigOptions): void {
  const { platform, emulated = ownRelease, laterEntries = false } = options
  const ofGroup = (group: string) => known.filter((definition) => platform.name(definition.group) === group)
  const strangers = entries.filter(({ group }) => ofGroup(group).length === 0)
  if (strangers.length > 0) {
    const names = new Set(strangers.map(({ group, version }) => `${group}/${version}`))
    throw fail(`unknown api groups ${[...names].sort().join(',')}`)
  }
  for (const { key, group, version, resource, on } of entries) {
    const versions = ofGroup(group).filter((definition) => definition.version === version)
    if (versions.length === 0) throw fail(`group version ${group === '' ? version : `${group}/${version}`} that has not been registered`)
    const named = resource === undefined ? versions : versions.filter(({ names }) => names.plural === resource)
    const [first] = named
    if (!on || laterEntries || first === undefined || named.some(({ lifecycle }) => isReached(lifecycle.introduced, emulated))) continue
    const hint = 'consider --runtime-config-emulation-forward-compatible=true'
    throw fail(`${key} was introduced in ${first.lifecycle.introduced}, after the emulation version ${emulated}; ${hint}`)
  }
}

/**
 * Parses --runtime-config. The most specific entry wins: resource, then its version, then the stage of the
 * version (`api/beta`), then `api/all`, then the definition's default. `known` lists all built-in definitions.
 * @throws DecodeError for an unknown key, a malformed boolean, or an API later than the emulated version.
 */
export function parseRuntimeConfig(
  pairs: ReadonlyMap<string, string>,
  known: readonly RuntimeConfigRow[],
  options: RuntimeConfigOptions,
): RuntimeConfig {
  if (pairs.size === 1 && pairs.get('api/all') === 'false') throw fail('invalid with only api/all=false')
  const entries: Entry[] = []
  const stages: (readonly [pattern: RegExp, on: boolean])[] = []
  for (const [key, text] of pairs) if (!matchers.has(key)) entries.push(readEntry(key, text))
  for (const [key, pattern] of matchers) {
    const text = pairs.get(key)
    if (text === undefined) continue
    if (text !== 'true' && text !== 'false') throw fail(`invalid value ${key}=${text}`)
    stages.push([pattern, text === 'true'])
  }
  checkKnown(entries, known, options)
  const { platform, emulated = ownRelease, laterVersions = false, laterEntries = false } = options
  const explicit = new Map(entries.map(({ group, version, resource, on }) => [[group, version, resource].join('/'), on]))

  /** The most specific explicit entry for a definition. */
  function entryOf({ group, version, names }: RuntimeConfigRow): boolean | undefined {
    const name = platform.name(group)
    return explicit.get([name, version, names.plural].join('/')) ?? explicit.get([name, version, undefined].join('/'))
  }

  const enabled = (definition: RuntimeConfigRow) =>
    entryOf(definition) ?? stages.findLast(([pattern]) => pattern.test(definition.version))?.[1] ?? definition.servedByDefault

  /** Less preferred versions of the same resource except alpha ones, which don't enable later versions. */
  const lesser = ({ group, version, names }: RuntimeConfigRow) =>
    known.filter(
      (other) =>
        platform.name(other.group) === platform.name(group) &&
        other.names.plural === names.plural &&
        compareVersions(other.version, version) < 0 &&
        !other.version.includes('alpha'),
    )

  function serves(definition: RuntimeConfigRow): boolean {
    const { introduced, removed } = definition.lifecycle
    if (removed !== undefined && isReached(removed, emulated)) return false
    const follows = laterVersions && entryOf(definition) === undefined && lesser(definition).some(serves)
    if (!follows && !enabled(definition)) return false
    if (isReached(introduced, emulated)) return true
    return (laterVersions && lesser(definition).some(serves)) || (laterEntries && entryOf(definition) === true)
  }

  return { servesVersion: serves }
}
