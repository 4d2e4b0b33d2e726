/** Status conditions of a namespace under deletion: five conditions, each fine or with a reason. */
import type { Platform } from '../platform.ts'
import type { ApiObject } from '../resources/definition.ts'
import { timestamp } from '../schema/formats/time.ts'

/** Content that is left in a namespace under deletion. */
export interface Remaining {
  /** Number of objects by resource and group, as `pods.`. */
  readonly resources: ReadonlyMap<string, number>
  /** Number of objects by finalizer. */
  readonly finalizers: ReadonlyMap<string, number>
  readonly failures: readonly string[]
  /** Group versions of other servers whose resources are not known at present, such as `example.com/v1`. */
  readonly undiscovered: readonly string[]
}

interface Condition {
  type: string
  status: string
  lastTransitionTime?: string
  reason?: string
  message?: string
}

interface Row {
  readonly type: string
  readonly reason: string
  message(platform: Platform): string
  /** Absent: the condition never fails, because the server knows its own resources. */
  problem?(remaining: Remaining): { readonly reason: string; readonly message: string } | undefined
}

const counted = (counts: ReadonlyMap<string, number>, phrase: string) =>
  [...counts].map(([name, count]) => `${name} ${phrase.replace('N', String(count))}`).sort()

/** What clients say that find some group versions stale (client-go/discovery). */
export const discoveryFailure = (groupVersions: readonly string[]) =>
  `unable to retrieve the complete list of server APIs: ${groupVersions
    .toSorted()
    .map((each) => `${each}: stale GroupVersion discovery: ${each}`)
    .join(', ')}`

const rows: readonly Row[] = [
  {
    type: 'NamespaceDeletionDiscoveryFailure',
    reason: 'ResourcesDiscovered',
    message: () => 'All resources successfully discovered',
    problem: ({ undiscovered }) =>
      undiscovered.length === 0
        ? undefined
        : {
            reason: 'DiscoveryFailed',
            message: `Discovery failed for some groups, ${undiscovered.length} failing: ${discoveryFailure(undiscovered)}`,
          },
  },
  {
    type: 'NamespaceDeletionGroupVersionParsingFailure',
    reason: 'ParsedGroupVersions',
    message: ({ component }) => `All legacy ${component} types successfully parsed`,
  },
  {
    type: 'NamespaceDeletionContentFailure',
    reason: 'ContentDeleted',
    message: () => 'All content successfully deleted, may be waiting on finalization',
    problem: ({ failures }) =>
      failures.length === 0
        ? undefined
        : {
            reason: 'ContentDeletionFailed',
            message: `Failed to delete all resource types, ${failures.length} remaining: ${failures.toSorted().join(', ')}`,
          },
  },
  {
    type: 'NamespaceContentRemaining',
    reason: 'ContentRemoved',
    message: () => 'All content successfully removed',
    problem: ({ resources }) =>
      resources.size === 0
        ? undefined
        : {
            reason: 'SomeResourcesRemain',
            message: `Some resources are remaining: ${counted(resources, 'has N resource instances').join(', ')}`,
          },
  },
  {
    type: 'NamespaceFinalizersRemaining',
    reason: 'ContentHasNoFinalizers',
    message: () => 'All content-preserving finalizers finished',
    problem: ({ finalizers }) =>
      finalizers.size === 0
        ? undefined
        : {
            reason: 'SomeFinalizersRemain',
            message: `Some content in the namespace has finalizers remaining: ${counted(finalizers, 'in N resource instances').join(', ')}`,
          },
  },
]

/** The conditions to write; undefined when they are current. The transition time changes only with the status. */
export function deletionConditions(
  namespace: ApiObject,
  remaining: Remaining,
  platform: Platform,
  now: number,
): readonly Condition[] | undefined {
  const known = (namespace as { status?: { conditions?: readonly Condition[] } }).status?.conditions ?? []
  let changed = false
  const own = rows.map((row): Condition => {
    const problem = row.problem?.(remaining)
    const { reason, message } = problem ?? { reason: row.reason, message: row.message(platform) }
    const status = problem ? 'True' : 'False'
    const before = known.find(({ type }) => type === row.type)
    if (before?.status === status && before.reason === reason && before.message === message) return before
    changed = true
    const since = before?.status === status ? before.lastTransitionTime : undefined
    return { type: row.type, status, lastTransitionTime: since ?? timestamp(now), reason, message }
  })
  if (!changed) return undefined
  return [...known.filter(({ type }) => !rows.some((row) => row.type === type)), ...own]
}
