/** The controls of a level in a version, and their evaluation. */
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

const activeIn = (controls: readonly Control[], version: number): readonly Active[] =>
  controls.flatMap((control) => {
    const revision = control.revisions.findLast(({ since }) => since <= version)
    return revision ? [{ control, check: revision.check }] : []
  })

/** `name` resolves placeholders; `last` is the newest known minor version. */
export function createEvaluate(name: (text: string) => string, last: number): Evaluate {
  const baseline = baselineControls(name)
  const changes = [...baseline, ...restrictedControls].flatMap(({ revisions }) => revisions.map(({ since }) => since))
  const newest = Math.min(last, Math.max(...changes))
  /** Cached by level and version. */
  const known = new Map<string, readonly Check[]>()

  function checksOf(level: string, version: number): readonly Check[] {
    const more = level === 'restricted' ? activeIn(restrictedControls, version) : []
    const replaced = new Set(more.map(({ control }) => control.replaces))
    return [...activeIn(baseline, version).filter(({ control }) => !replaced.has(control.id)), ...more].map(({ check }) => check)
  }

  return ({ level, version }, pod) => {
    if (level === 'privileged') return []
    const minor = Math.min(version, newest)
    const key = `${level}:${minor}`
    const checks = known.get(key) ?? checksOf(level, minor)
    known.set(key, checks)
    return checks.map((check) => check(pod)).filter((violation) => violation !== undefined)
  }
}

export const reasonsOf = (violations: readonly Violation[]) => violations.map(({ reason }) => reason).join(', ')
export const detailsOf = (violations: readonly Violation[]) =>
  violations.map(({ reason, detail }) => (detail === '' ? reason : `${reason} (${detail})`)).join(', ')
