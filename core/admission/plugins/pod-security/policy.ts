/** Pod security policy of a namespace's labels: level and version for each of three modes (Pod Security Standards). */
import type { Platform } from '../../../platform.ts'
import { parseRelease, type Release } from '../../../release.ts'
import type { ApiObject } from '../../../resources/definition.ts'
import { FieldErrors } from '../../../schema/field-error.ts'
import { FieldPath } from '../../../schema/field-path.ts'

/** From least to most restrictive. */
const levels = ['privileged', 'baseline', 'restricted'] as const
export type Level = (typeof levels)[number]

/** Release of the standards. */
export type Version = Release | 'latest'

export interface LevelVersion {
  readonly level: Level
  readonly version: Version
}

export const modes = ['enforce', 'audit', 'warn'] as const
export type Mode = (typeof modes)[number]
export type Policy = Readonly<Record<Mode, LevelVersion>>

const unlimited: LevelVersion = { level: 'privileged', version: 'latest' }
export const privileged: Policy = { enforce: unlimited, audit: unlimited, warn: unlimited }

export const levelProblem = 'must be one of privileged, baseline, restricted'
export const versionProblem = 'must be "latest" or "v1.x"'

/** Undefined: not a level. */
export const parseLevel = (text: string): Level | undefined => levels.find((level) => level === text)
export function parseVersion(text: string): Version | undefined {
  if (text === 'latest') return text
  return /^v1\.(0|[1-9]\d{0,8})$/.test(text) ? parseRelease(text.slice('v'.length)) : undefined
}

/** As shown to clients: `baseline:v1.30`. */
export const textOf = ({ level, version }: LevelVersion) => `${level}:${version === 'latest' ? version : `v${version}`}`

export const isStricter = (a: Level, b: Level) => levels.indexOf(a) > levels.indexOf(b)
export const isSame = (a: LevelVersion, b: LevelVersion) => a.level === b.level && a.version === b.version
/** Whether two policies are equivalent: the version of level privileged does not matter. */
const isAlike = (a: LevelVersion, b: LevelVersion) => isSame(a, b) || (a.level === 'privileged' && b.level === 'privileged')
export const areAlike = (a: Policy, b: Policy) => modes.every((mode) => isAlike(a[mode], b[mode]))
export const isPrivileged = (policy: Policy) => modes.every((mode) => policy[mode].level === 'privileged')

export type Labels = ApiObject['metadata']['labels']

/** Reads the policy labels; their names contain a domain of the platform. */
export function createPolicyReader(platform: Platform) {
  const key = Object.fromEntries(modes.map((mode) => [mode, platform.name(`pod-security.<labels>/${mode}`)])) as Record<Mode, string>
  const has = (labels: Labels, name: string) => labels !== undefined && Object.hasOwn(labels, name)

  /** Reads one mode. A malformed value counts as most restrictive for `enforce`, and as privileged in other modes. */
  function read(labels: Labels, mode: Mode, given: LevelVersion, errors: FieldErrors): LevelVersion {
    const part = <T>(name: string, other: T, parse: (text: string) => T | undefined, problem: string, instead: T): T => {
      if (!has(labels, name)) return other
      const text = labels?.[name] ?? ''
      const parsed = parse(text)
      if (parsed === undefined) errors.invalid(FieldPath.of('metadata', 'labels').key(name), text, problem)
      return parsed ?? instead
    }
    const failing: Level = mode === 'enforce' ? 'restricted' : 'privileged'
    return {
      level: part(key[mode], given.level, parseLevel, levelProblem, failing),
      version: part(`${key[mode]}-version`, given.version, parseVersion, versionProblem, 'latest'),
    }
  }

  return {
    /** The policy, usable despite errors. If `enforce` is stricter than `warn`, the labels' enforced level is used for warnings, too. */
    policyOf(labels: Labels, defaults: Policy): { readonly policy: Policy; readonly errors: FieldErrors } {
      const errors = new FieldErrors()
      const [enforce, audit, warn] = modes.map((mode) => read(labels, mode, defaults[mode], errors)) as [
        LevelVersion,
        LevelVersion,
        LevelVersion,
      ]
      const follows =
        has(labels, key.enforce) &&
        parseLevel(labels?.[key.enforce] ?? '') &&
        !has(labels, key.warn) &&
        isStricter(enforce.level, warn.level)
      if (!follows) return { policy: { enforce, audit, warn }, errors }
      const version = has(labels, `${key.warn}-version`) ? warn.version : enforce.version
      return { policy: { enforce, audit, warn: { level: enforce.level, version } }, errors }
    },
    /** Modes with a label. */
    named: (labels: Labels): readonly Mode[] => modes.filter((mode) => has(labels, key[mode]) || has(labels, `${key[mode]}-version`)),
  }
}
