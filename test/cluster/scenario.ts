import assert from 'node:assert/strict'
import type { Api, TestObject } from '../support/api.ts'
import { eventually } from '../support/wait.ts'
import type { Cluster } from './cluster.ts'

/** What a user does with a cluster. Each scenario has a namespace of its own. */
export interface Scenario {
  readonly name: string
  /** Returns what a user sees at the end, without names and times that vary: it must be the same on every server. */
  run(space: Space): Promise<unknown>
}

/** A namespace of a cluster, with helpers. */
export interface Space {
  readonly cluster: Cluster
  readonly api: Api
  readonly namespace: string
  /** Path of a namespaced collection or object: `path('apps/v1', 'deployments', 'web')`. */
  path(groupVersion: string, ...rest: readonly string[]): string
  /** Polls an object until the condition holds. */
  until(path: string, what: string, condition: (object: TestObject) => boolean): Promise<TestObject>
  /** Polls until the object is gone. */
  gone(path: string): Promise<void>
  /** Polls the pods with a label until the condition holds. */
  pods(selector: string, what: string, condition: (pods: readonly TestObject[]) => boolean): Promise<readonly TestObject[]>
}

/** Milliseconds: controllers retry with growing delays. */
const timeout = 180_000

export function spaceOf(cluster: Cluster, namespace: string): Space {
  const { api } = cluster
  const path: Space['path'] = (groupVersion, ...rest) =>
    `${groupVersion === 'v1' ? '/api' : '/apis'}/${groupVersion}/namespaces/${namespace}/${rest.join('/')}`
  return {
    cluster,
    api,
    namespace,
    path,
    async until(at, what, condition) {
      let last: TestObject | undefined
      try {
        return await eventually(
          `${at}: ${what}`,
          async () => {
            const { status, body } = await api.get(at)
            last = body
            return status === 200 && condition(body) && body
          },
          timeout,
        )
      } catch (error) {
        throw new Error(`${at}: ${what}; last seen: ${JSON.stringify(last)}`, { cause: error })
      }
    },
    async gone(at) {
      await eventually(`${at} is gone`, async () => (await api.get(at)).status === 404, timeout)
    },
    async pods(selector, what, condition) {
      const at = `${path('v1', 'pods')}?labelSelector=${encodeURIComponent(selector)}`
      return eventually(
        `pods of ${selector}: ${what}`,
        async () => {
          const { items } = await api.list(at)
          return condition(items) && items
        },
        timeout,
      )
    },
  }
}

export async function patch(api: Api, path: string, change: object): Promise<TestObject> {
  const { status, body } = await api.patch(path, change)
  assert.equal(status, 200, JSON.stringify(body))
  return body
}

interface Condition {
  readonly type: string
  readonly status: string
  readonly reason?: string
}

/** `Type=Status (Reason)` of each condition, sorted. */
export const conditionsOf = ({ status }: TestObject): readonly string[] =>
  ((status?.['conditions'] ?? []) as readonly Condition[])
    .map(({ type, status: value, reason }) => `${type}=${value}${reason ? ` (${reason})` : ''}`)
    .toSorted()

/** Whether a condition is True. */
export const isTrue = (object: TestObject, type: string) => conditionsOf(object).some((text) => text.startsWith(`${type}=True`))

/** Hollow nodes report a pod as ready before its phase is Running. */
export const isReady = (pod: TestObject) =>
  pod.metadata.deletionTimestamp === undefined && isTrue(pod, 'Ready') && pod.status?.['phase'] === 'Running'

/** Numbers of a status by field, without the fields that are absent. */
export const numbersOf = ({ status = {} }: TestObject, ...fields: readonly string[]) =>
  Object.fromEntries(fields.filter((field) => status[field] !== undefined).map((field) => [field, status[field]]))

/** A pod template whose pods have the label `app`. */
export const template = (app: string, spec: object = {}) => ({
  metadata: { labels: { app } },
  spec: { terminationGracePeriodSeconds: 0, containers: [{ name: 'main', image: 'example/main:1' }], ...spec },
})

export const selecting = (app: string) => ({ matchLabels: { app } })
