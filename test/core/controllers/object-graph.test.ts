import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ObjectGraph } from '../../../core/controllers/object-graph.ts'

const owner = (kind: string, name: string, uid: string) => ({ apiVersion: 'v1', kind, name, uid })
const dependent = (namespace: string, name: string, owners: readonly ReturnType<typeof owner>[]) => ({
  key: `/pods/${namespace}/${name}`,
  namespace,
  uid: `uid of ${name}`,
  owners,
})
const graphOf = (...dependents: readonly ReturnType<typeof dependent>[]) => {
  const graph = new ObjectGraph()
  for (const each of dependents) graph.set(each)
  return graph
}
const keysOf = (graph: ObjectGraph, kind: string, namespace: string, name: string, uid?: string) =>
  graph
    .dependentsOf({ kind, namespace, name }, uid)
    .map(({ key }) => key)
    .toSorted()

test('dependents of a namespaced owner are in its namespace', () => {
  const graph = graphOf(
    dependent('one', 'a', [owner('ReplicaSet', 'web', '1')]),
    dependent('one', 'b', [owner('Job', 'web', '2'), owner('ReplicaSet', 'web', '1')]),
    dependent('two', 'a', [owner('ReplicaSet', 'web', '3')]),
  )
  assert.deepEqual(keysOf(graph, 'ReplicaSet', 'one', 'web'), ['/pods/one/a', '/pods/one/b'])
  assert.deepEqual(keysOf(graph, 'Job', 'one', 'web'), ['/pods/one/b'])
  assert.deepEqual(keysOf(graph, 'ReplicaSet', 'two', 'web'), ['/pods/two/a'])
  assert.deepEqual(keysOf(graph, 'ReplicaSet', 'three', 'web'), [])
})

test('dependents of a cluster-scoped owner are in any namespace, and in none', () => {
  const graph = graphOf(
    dependent('one', 'a', [owner('Node', 'n', '1')]),
    dependent('two', 'a', [owner('Node', 'n', '1')]),
    dependent('', 'c', [owner('Node', 'n', '1')]),
  )
  assert.deepEqual(keysOf(graph, 'Node', '', 'n'), ['/pods//c', '/pods/one/a', '/pods/two/a'])
})

test('an owner that was created again has dependents of its own', () => {
  const graph = graphOf(
    dependent('one', 'old', [owner('ReplicaSet', 'web', '1')]),
    dependent('one', 'new', [owner('ReplicaSet', 'web', '2')]),
  )
  assert.deepEqual(keysOf(graph, 'ReplicaSet', 'one', 'web', '2'), ['/pods/one/new'])
})

test('what is deleted, or has no owners any more, is forgotten', () => {
  const graph = graphOf(
    dependent('one', 'a', [owner('Node', 'n', '1')]),
    dependent('two', 'b', [owner('Node', 'n', '1')]),
    dependent('two', 'c', [owner('Node', 'n', '1')]),
  )
  assert.equal(graph.delete('/pods/one/a')?.uid, 'uid of a')
  graph.set(dependent('two', 'b', []))
  assert.deepEqual(keysOf(graph, 'Node', '', 'n'), ['/pods/two/c'])
  assert.equal(graph.get('/pods/two/b'), undefined)
})
