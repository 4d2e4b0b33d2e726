/** Priority and fairness knows how many objects each resource has, for its estimates of work. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { KeyValueStore } from '../../../core/ports.ts'
import { memoryStore } from '../../../runtimes/web/index.ts'
import { startCore } from '../../support/core-server.ts'
import { eventually } from '../../support/wait.ts'

test('objects that several resources and versions serve are counted once', async () => {
  const store = memoryStore()
  const prefixes: string[] = []
  const counted: KeyValueStore = {
    ...store,
    list(options, context) {
      // The sample of a count: other lists of the start have no limit.
      if (options.limit === 50) prefixes.push(options.prefix)
      return store.list(options, context)
    },
  }
  const server = await startCore({ priorityAndFairness: 'on' }, { store: counted })
  await eventually('all resources are counted', async () => prefixes.some((each) => each.endsWith('/apiregistration.k8s.io/apiservices/')))
  assert.equal(
    prefixes.length,
    new Set(prefixes).size,
    `no storage key is read twice: ${prefixes.filter((each, at) => prefixes.indexOf(each) !== at)}`,
  )
  assert.ok(
    prefixes.some((each) => each.endsWith('/events/')),
    'events of both groups',
  )
  await server.close()
})
