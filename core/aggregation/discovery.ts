/** Groups of other servers in discovery (handler_discovery.go of the aggregator). */

import type { GroupSource, PublishedGroup } from '../meta/group-source.ts'
import { perRevision } from '../meta/group-source.ts'
import type { PublishedResource } from '../meta/resource-rows.ts'
import { equal } from '../schema/json/equal.ts'
import type { Json } from '../schema/model.ts'
import { ask } from './ask.ts'
import { resourcesOfAggregated, resourcesOfList } from './discovery-document.ts'
import { createRefresher } from './refresher.ts'
import type { RemoteRegistration } from './registration.ts'
import { maxDocumentBytes, type RegistrationFollower, type RemoteDocumentsOptions, useDocument } from './remote-document.ts'

export interface RemoteGroups extends GroupSource, RegistrationFollower {}

export interface RemoteGroupsOptions extends RemoteDocumentsOptions {
  /** API group of aggregated lists. */
  readonly listGroup: string
  /** User name of the requests. */
  readonly user: string
}

interface Known {
  readonly resources: readonly PublishedResource[]
  readonly isCurrent: boolean
  /** Tag and URL of the document; undefined: it can't be asked for by its tag. */
  readonly etag?: string | undefined
}

/** Milliseconds between requests for documents that may have changed. */
const interval = 60_000
const timeout = 5_000

const nothing: Known = { resources: [], isCurrent: false }

/** A group version is listed at once, without resources and as stale until its server has answered. */
export function createRemoteGroups(options: RemoteGroupsOptions): RemoteGroups {
  const { registrations, clock, pauses, logger, queues, listGroup, user } = options
  const known = new Map<string, Known>()
  let revision = 0
  const kind = 'APIGroupDiscoveryList'
  const accept = ['v2', 'v2beta1'].map((version) => `application/json;g=${listGroup};v=${version};as=${kind}`).join(',')

  async function fetched(registration: RemoteRegistration, before: Known | undefined, signal: AbortSignal): Promise<Known> {
    const { group, version } = registration.spec
    const slices = pauses.slices(() => signal)
    const etag = before?.etag
    const headers = { accept, ...(etag !== undefined && { 'if-none-match': etag }) }
    const answer = await ask(
      registration,
      { path: '/apis', user: { name: user, groups: ['system:masters'] }, headers, timeout, maxBytes: maxDocumentBytes, signal },
      options,
    )
    if (answer.status === 304 && before !== undefined) return before
    if (answer.status === 503) throw new Error(`${answer.url} answered 503`)
    if (answer.status === 200 && (answer.headers.get('content-type') ?? '').includes(`as=${kind}`)) {
      const resources = await useDocument(answer, slices, (document) => resourcesOfAggregated(document, group, version, slices))
      return { resources, isCurrent: true, etag: answer.headers.get('etag') ?? undefined }
    }
    const path = `/apis/${group}/${version}`
    const old = await ask(
      registration,
      { path, user: { name: user, groups: [] }, headers: { accept: 'application/json' }, timeout, maxBytes: maxDocumentBytes, signal },
      options,
    )
    if (old.status !== 200) throw new Error(`${old.url} answered ${old.status}`)
    return { resources: await useDocument(old, slices, (document) => resourcesOfList(document, group, version, slices)), isCurrent: true }
  }

  function keep(name: string, found: Known): void {
    const before = known.get(name)
    known.set(name, found)
    // A new revision makes all discovery documents anew.
    if (before?.isCurrent !== found.isCurrent || !equal(before.resources as unknown as Json, found.resources as unknown as Json)) revision++
  }

  const refresher = createRefresher(
    {
      name: 'discovery-manager',
      clock,
      logger,
      queues,
      warning: 'the discovery document of an API service is left out',
      async work(name, signal) {
        const registration = registrations.get(name)
        if (registration === undefined) return
        try {
          const found = await fetched(registration, known.get(name), signal)
          if (registrations.has(name)) keep(name, found)
        } catch (error) {
          if (registrations.has(name) && !signal.aborted) keep(name, nothing)
          throw error
        }
      },
    },
    interval,
  )

  const groups = perRevision(
    [
      {
        get revision() {
          return revision
        },
      },
    ],
    (): readonly PublishedGroup[] => {
      const found = new Map<string, PublishedGroup>()
      for (const [name, { spec }] of registrations) {
        const { group, version, groupPriorityMinimum, versionPriority } = spec
        const { resources, isCurrent } = known.get(name) ?? nothing
        const before = found.get(group)
        found.set(group, {
          name: group,
          priority: Math.max(groupPriorityMinimum, before?.priority ?? 0),
          versions: [
            ...(before?.versions ?? []),
            {
              group,
              version,
              groupVersion: `${group}/${version}`,
              path: `/apis/${group}/${version}`,
              priority: versionPriority,
              service: false,
              freshness: isCurrent ? 'Current' : 'Stale',
              resources: () => resources,
            },
          ],
        })
      }
      return [...found.values()]
    },
  )

  return {
    get revision() {
      return revision
    },
    groups,
    update(name) {
      revision++
      refresher.add(name)
    },
    remove(name) {
      revision++
      known.delete(name)
      refresher.remove(name)
    },
    close: () => refresher.close(),
  }
}
