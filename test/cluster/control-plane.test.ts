/**
 * Kubernetes' own controller manager, scheduler and kubelets on this server. Where the original API server is installed too, every scenario
 * also runs on it, and must end in the same state.
 */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { eventually } from '../support/wait.ts'
import { type Cluster, startCluster } from './cluster.ts'
import { components, programPath } from './programs.ts'
import { isTrue, spaceOf } from './scenario.ts'
import { agents } from './scenarios/agents.ts'
import { objects } from './scenarios/objects.ts'
import { workloads } from './scenarios/workloads.ts'
import { serverNames as servers } from './server.ts'

const missing = components.filter((name) => programPath(name) === undefined)
const skip = missing.length > 0 && `not installed (on PATH or in KUBERNETES_BIN): ${missing.join(', ')}`
const scenarios = [...workloads, ...objects, ...agents]

describe('a control plane with hollow nodes', { skip }, () => {
  const clusters: Cluster[] = []
  before(async () => {
    for (const server of servers) clusters.push(await startCluster(server))
    for (const { api, startNode } of clusters) {
      const names = ['node-0', 'node-1', 'node-2']
      for (const name of names) await startNode(name)
      await eventually(
        'three nodes are ready',
        async () => (await api.list('/api/v1/nodes')).items.filter((node) => isTrue(node, 'Ready')).length === 3,
      )
    }
  })
  after(async () => {
    for (const cluster of clusters) await cluster.close()
  })

  for (const [index, { name, run }] of scenarios.entries()) {
    describe(name, () => {
      const outcomes: unknown[] = []
      for (const [at, server] of servers.entries()) {
        test(`on ${server}`, async () => {
          const cluster = clusters[at]!
          const namespace = `scenario-${index}`
          await cluster.api.create('/api/v1/namespaces', { metadata: { name: namespace } })
          outcomes.push(await run(spaceOf(cluster, namespace)))
          await cluster.api.delete(`/api/v1/namespaces/${namespace}`)
        })
      }
      test('ends the same on all servers', () => {
        assert.equal(outcomes.length, servers.length)
        for (const outcome of outcomes) assert.deepEqual(outcomes[0], outcome)
      })
    })
  }
})
