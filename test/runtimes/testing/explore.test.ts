/** Order on demand finds each planted bug of a small operator, and nothing in the correct one. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import {
  type Exploration,
  ExplorationError,
  explore,
  type Fault,
  type Finding,
  type Snapshot,
  startTestServer,
} from '../../../runtimes/testing/index.ts'
import { seed } from '../../support/seed.ts'
import { soak } from '../../support/soak.ts'
import { type Bug, operate, type Widget, widgets } from './operator.ts'

let from: Snapshot

/** Seeds that the correct operator passes. */
const passed = soak ? 200 : 25

const exploration = (bug?: Bug): Exploration => ({
  from,
  user: 'operator',
  start: (server, signal) => operate(server, signal, bug),
  async act(server, step) {
    const client = server.objects<Widget>('example.com/v1', 'Widget')
    await client.create({ metadata: { name: 'one' }, spec: { size: 'small' } })
    await client.create({ metadata: { name: 'two' }, spec: { size: 'small' } })
    await step()
    await client.patch('one', { spec: { size: 'large' } })
    await step()
    await client.patch('one', { spec: { size: 'small' } })
    await step()
    await client.delete('two')
    await step()
  },
  kinds: { v1: ['ConfigMap', 'Secret'] },
  idle: 15,
})

async function findingOf(bug: Bug, faults?: readonly Fault[]): Promise<Finding> {
  try {
    await explore({ ...exploration(bug), seeds: 200, ...(faults && { faults }) })
  } catch (error) {
    if (error instanceof ExplorationError) return error.finding
    throw error
  }
  throw new Error(`${bug}: not found`)
}

describe('order on demand', () => {
  before(async () => {
    const server = await startTestServer()
    await server.load(widgets)
    from = server.snapshot()
    await server.close()
  })

  const expected: Readonly<Record<Bug, RegExp>> = {
    'stale read': /data.size: "small" → "large"/,
    'missed delete': /\+ "ConfigMap two"|\+ "Secret two/,
    'crash between two writes': /Secret/,
    'write storm': /\d+ requests, of which \d+ are writes/,
  }
  for (const [bug, what] of Object.entries(expected))
    test(`finds a ${bug}`, async (t) => {
      const finding = await findingOf(bug as Bug)
      t.diagnostic(`seed ${finding.seed}, ${JSON.stringify(finding.faults)}: ${finding.what}`)
      assert.match(finding.what, what)
      assert(finding.faults.length <= 3, finding.test)
      assert.match(finding.test, /^test\('?"?seed \d+/)
      // The schedule that is printed shows the same.
      assert.match((await findingOf(bug as Bug, finding.faults)).what, what)
    })

  test('the correct operator passes all schedules', async () => {
    const seeds = Array.from({ length: passed }, (_, at) => seed * 1_000 + at + 1)
    assert.equal(await explore({ ...exploration(), seeds }), passed)
  })
})
