/** Priority and fairness knows how many objects each resource has, for its estimates of work. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startInProcess } from '../../support/in-process.ts'
import { eventually } from '../../support/wait.ts'

const row = /^apiserver_resource_size_estimate_bytes\{group="([^"]*)",resource="([^"]*)"\} (\S+)$/gm

test('objects that several resources and versions serve are counted once', async () => {
  const { api, close } = await startInProcess({ priorityAndFairness: 'on' })
  const counted = async () => {
    const text = await (await api.fetch('/metrics')).text()
    return [...text.matchAll(row)].map(([, group = '', resource = '']) => `${resource}.${group}`)
  }
  // Resources are counted one after the other, this one last.
  await eventually('all resources are counted', async () => (await counted()).includes('apiservices.apiregistration.k8s.io'))
  const all = await counted()
  assert.equal(all.length, new Set(all).size, 'one row for all versions')
  assert.deepEqual(
    all.filter((each) => each.startsWith('events.')),
    ['events.'],
    'events of both groups',
  )
  await close()
})
