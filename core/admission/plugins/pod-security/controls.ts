/** The controls of a level in a version, and their evaluation. */
import { isReached, type Release } from '../../../release.ts'
import { baselineControls } from './baseline.ts'
import type { Check, Control, PodLike, Violation } from './pod.ts'
import type { LevelVersion } from './policy.ts'
import { restrictedControls } from './restricted.ts'

/** All violations of a pod, in order. */
export type Evaluate = (policy: LevelVersion, pod: PodLike) => readonly Violation[]

interface Active {
  readonly control: Control
  readonly check: Check
}

const activeIn = (controls: readonly Control[], version: Release): readonly Active[] =>
  controls.flatMap((control) => {
    const revision = control.revisions.findLast(({ since }) => isReached(since, version))
    return revision ? [{ control, check: revision.check }] : []
  })

/** `name` resolves placeholders; `last` is the newest known release: later ones, and `latest`, mean this one. */
export function createEvaluate(name: (text: string) => string, last: Release): Evaluate {
  const baseline = baselineControls(name)
  /** Cached by level and version. */
  const known = new Map<string, readonly Check[]>()

  function checksOf(level: string, version: Release): readonly Check[] {
    const more = level === 'restricted' ? activeIn(restrictedControls, version) : []
    const replaced = new Set(more.map(({ control }) => control.replaces))
    return [...activeIn(baseline, version).filter(({ control }) => !replaced.has(control.id)), ...more].map(({ check }) => check)
  }

  return ({ level, version }, pod) => {
    if (level === 'privileged') return []
    const release = version === 'latest' || isReached(last, version) ? last : version
    const key = `${level}:${release}`
    const checks = known.get(key) ?? checksOf(level, release)
    known.set(key, checks)
    return checks.map((check) => check(pod)).filter((violation) => violation !== undefined)
  }
}

export const reasonsOf = (violations: readonly Violation[]) => violations.map(({ reason }) => reason).join(', ')
export const detailsOf = (violations: readonly Violation[]) =>
  violations.map(({ reason, detail }) => (detail === '' ? reason : `${reason} (${detail})`)).join(', ')
