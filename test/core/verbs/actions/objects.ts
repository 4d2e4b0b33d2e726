/** Objects for the tests of actions. */
import type { Api, TestObject } from '../../../support/api.ts'

export const pods = '/api/v1/namespaces/default/pods'
export const budgets = '/apis/policy/v1/namespaces/default/poddisruptionbudgets'

export const pod = (name: string, spec: object = {}) => ({
  metadata: { name, labels: { app: name } },
  spec: { containers: [{ name: 'main', image: 'example/main' }], ...spec },
})

interface Condition {
  readonly type: string
  readonly status: string
  readonly reason?: string
  readonly message?: string
}

export const conditionOf = ({ status }: TestObject, type: string) =>
  ((status?.['conditions'] ?? []) as Condition[]).find((condition) => condition.type === type)

/** Creates a pod that runs on a node, ready or not. */
export async function runningPod(api: Api, name: string, ready = true): Promise<TestObject> {
  await api.create(pods, pod(name, { nodeName: 'node-1' }))
  const status = { phase: 'Running', conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }] }
  return (await api.patch(`${pods}/${name}/status`, { status })).body
}

/** Creates a budget for the pod with that app label, with the status that the disruption controller would write. */
export async function budget(api: Api, name: string, app: string, status: object, spec: object = {}): Promise<void> {
  await api.create(budgets, { metadata: { name }, spec: { minAvailable: 1, selector: { matchLabels: { app } }, ...spec } })
  await api.patch(`${budgets}/${name}/status`, { status: { observedGeneration: 1, ...status } })
}
