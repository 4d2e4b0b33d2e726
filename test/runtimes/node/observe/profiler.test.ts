import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { ProfilerError, type StackProfile } from '../../../../core/ports.ts'
import { createProfiler } from '../../../../runtimes/node/observe/profiler.ts'
import { delayStacks } from '../../../../runtimes/node/observe/v8-profile.ts'
import { eventually } from '../../../support/wait.ts'

const profiler = createProfiler()
const { signal } = new AbortController()

function spinForProfile(milliseconds: number): unknown[] {
  const made: unknown[] = []
  const end = performance.now() + milliseconds
  while (performance.now() < end) made.push(JSON.parse('{"a":[1,2,{"b":"c"}]}'))
  return made
}
const held: unknown[] = []
/** Spins, with pauses, until the profile is taken: on a busy machine the profiler begins late. */
async function spinWhile(taking: Promise<StackProfile>, use: (made: unknown[]) => void = () => undefined): Promise<StackProfile> {
  let isTaken = false
  const taken = () => {
    isTaken = true
  }
  taking.then(taken, taken)
  while (!isTaken) {
    use(spinForProfile(50))
    await setTimeout(5)
  }
  return taking
}
const named = ({ stacks }: StackProfile) =>
  stacks.filter(({ frames }) => frames.some(({ name, file }) => name === 'spinForProfile' && file.endsWith('profiler.test.ts')))
const spent = (profile: StackProfile) => named(profile).reduce((sum, { values }) => sum + values[1]!, 0)

/** The first profile in which the function took a tenth of the time: V8 loses samples while its thread waits for a processor. */
const spinning = (what: string, take: (milliseconds: number) => Promise<StackProfile>) =>
  eventually(what, async () => {
    const profile = await spinWhile(take(300))
    return spent(profile) > 30e6 ? profile : undefined
  })

test('functions that ran, by time', async () => {
  const profile = await spinning('a profile of functions', (milliseconds) => profiler.cpu(milliseconds, signal))
  assert.ok(profile.nanoseconds! >= 300e6)
  assert.ok(spent(profile) <= profile.nanoseconds!)
  assert.ok(!profile.stacks.some(({ frames }) => frames.some(({ name }) => name === '(idle)' || name === '(root)')))
})

test('functions that held the event loop', async () => {
  const profile = await spinning('a profile of delays', (milliseconds) => profiler.delays(milliseconds, signal))
  // A turn counts where it spent most time, which may be the garbage collector.
  assert.ok(profile.stacks.some(({ values }) => values[0]! >= 1))
})

test('turns of the event loop shorter than the threshold are no delay', () => {
  const callFrame = (functionName: string) => ({ functionName, scriptId: '', url: '', lineNumber: 0, columnNumber: 0 })
  const nodes = ['(root)', '(idle)', 'f'].map((name, index) => ({
    id: index + 1,
    callFrame: callFrame(name),
    children: index === 0 ? [2, 3] : [],
  }))
  const profile = { nodes, startTime: 0, endTime: 40_000, samples: [2, 3, 2, 3, 3, 2], timeDeltas: [0, 1000, 9000, 1000, 8000, 8000] }
  return delayStacks(profile, 10_000).then(
    ({ stacks }) =>
    assert.deepEqual(stacks.map(({ frames: [frame], values }) => [frame?.name, values]), [['f', [1, 16_000_000]]]), // biome-ignore format: short
  )
})

test('memory that is in use, and all that was allocated', async () => {
  for (const all of [false, true]) {
    const profile = await spinWhile(profiler.memory(200, signal, all), (made) => held.push(made))
    assert.deepEqual(profile.types, [{ type: all ? 'alloc_space' : 'inuse_space', unit: 'bytes' }])
    assert.ok(named(profile).length > 0)
  }
})

test('a trace in the format of Chrome', async () => {
  const { traceEvents } = JSON.parse(new TextDecoder().decode(await profiler.trace(50, signal))) as { traceEvents: { ph: string }[] }
  assert.ok(traceEvents.every(({ ph }) => typeof ph === 'string'))
})

test('one profile of a kind at a time; it ends when its reader leaves', async () => {
  const leaving = new AbortController()
  const first = profiler.cpu(60_000, leaving.signal)
  await assert.rejects(profiler.delays(1, signal), (error) => error instanceof ProfilerError && error.code === 'busy')
  leaving.abort(new Error('gone'))
  await assert.rejects(first, /gone/)
  await profiler.cpu(1, signal)
})
