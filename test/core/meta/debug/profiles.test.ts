import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createProfiles, type ProfilesOptions } from '../../../../core/meta/debug/profiles.ts'
import { type Profiler, ProfilerError, type StackProfile } from '../../../../core/ports.ts'
import { startInProcess } from '../../../support/in-process.ts'
import { readProfile } from '../../../support/pprof.ts'
import { asked, clockAt } from '../fixtures.ts'

const profile: StackProfile = {
  types: [
    { type: 'samples', unit: 'count' },
    { type: 'cpu', unit: 'nanoseconds' },
  ],
  stacks: [
    { frames: [{ name: 'inner', file: 'a.ts', line: 3 }, { name: 'outer', file: 'b.ts', line: 0 }], values: [1, 2_000_000] }, // biome-ignore format: a table
    { frames: [{ name: 'outer', file: 'b.ts', line: 0 }], values: [2, 2 ** 40] },
  ],
  period: { type: 'cpu', unit: 'nanoseconds', value: 1_000_000 },
  nanoseconds: 3_000_000_000,
}

const taken: (readonly [kind: string, milliseconds: number])[] = []
const take = (kind: string) => async (milliseconds: number) => {
  taken.push([kind, milliseconds])
  return profile
}
const profiler: Profiler = {
  commandLine: ['server', '--flag'],
  cpu: take('cpu'),
  memory: (milliseconds, _signal, all) => take(all ? 'all memory' : 'memory')(milliseconds),
  delays: take('delays'),
  trace: async () => new TextEncoder().encode('{"traceEvents":[]}'),
}

const page = (options: Partial<ProfilesOptions> = {}) => {
  const respond = createProfiles({ clock: clockAt(0), profiler, contention: true, program: 'server', inFlight: () => [], ...options })
  return async (path: string) => respond(asked(new URL(path, 'http://server')))
}
const bytesOf = async (response: Response) => new Uint8Array(await response.arrayBuffer())

test('a profile is what pprof reads', async () => {
  const response = await page()('/debug/pprof/profile?seconds=3')
  assert.equal(response.headers.get('content-type'), 'application/octet-stream')
  assert.equal(response.headers.get('content-disposition'), 'attachment; filename="profile"')
  assert.deepEqual(await readProfile(await bytesOf(response)), {
    types: ['samples/count', 'cpu/nanoseconds'],
    samples: [
      { stack: ['inner a.ts:3', 'outer b.ts:0'], values: [1, 2_000_000] },
      { stack: ['outer b.ts:0'], values: [2, 2 ** 40] },
    ],
    period: 1_000_000,
    nanoseconds: 3_000_000_000,
    preferred: 'cpu',
  })
})

test('each profile has its time, which the query sets within bounds', async () => {
  const ask = page()
  taken.length = 0
  for (const path of [
    'profile',
    'heap',
    'allocs',
    'block',
    'profile?seconds=0.5',
    'heap?seconds=-1',
    'allocs?seconds=x',
    'block?seconds=9999',
  ])
    await bytesOf(await ask(`/debug/pprof/${path}`))
  assert.deepEqual(taken, [['cpu', 30_000], ['memory', 10_000], ['all memory', 10_000], ['delays', 10_000], ['cpu', 500], ['memory', 10_000], ['all memory', 10_000], ['delays', 300_000]]) // biome-ignore format: a table
})

test('text, command line, trace and index', async () => {
  const ask = page()
  assert.equal(
    await (await ask('/debug/pprof/heap?debug=1')).text(),
    'heap profile: total 3 1099513627776 (samples/count cpu/nanoseconds)\n2 1099511627776 @\n#\touter\tb.ts:0\n\n1 2000000 @\n#\tinner\ta.ts:3\n#\touter\tb.ts:0\n\n',
  )
  assert.equal(await (await ask('/debug/pprof/cmdline')).text(), 'server\0--flag')
  assert.deepEqual(await (await ask('/debug/pprof/trace')).json(), { traceEvents: [] })
  const index = await (await ask('/debug/pprof/')).text()
  for (const [, name] of index.matchAll(/href='(\w+)\?debug=1'/g)) assert.notEqual((await ask(`/debug/pprof/${name}`)).status, 404, name)
  assert.equal(index.match(/href='/g)?.length, 10)
  const moved = await ask('/debug/pprof')
  assert.deepEqual([moved.status, moved.headers.get('location')], [302, '/debug/pprof/'])
})

test('what can not be taken says why', async () => {
  const failing = async () => {
    throw new ProfilerError('busy', 'cpu profiling already in use')
  }
  const cases: (readonly [options: Partial<ProfilesOptions>, path: string, status: number, text: string])[] = [
    [{}, 'nope', 404, 'Unknown profile\n'],
    [{}, 'constructor', 404, 'Unknown profile\n'],
    [{}, 'mutex', 501, 'Could not take profile mutex: the event loop is one thread, which holds no mutexes\n'],
    [{ profiler: undefined }, 'profile', 501, 'Could not take profile profile: this runtime has no profiler\n'],
    [{ profiler: { ...profiler, cpu: failing } }, 'profile', 500, 'Could not take profile profile: cpu profiling already in use\n'],
  ]
  for (const [options, path, status, text] of cases) {
    const response = await page(options)(`/debug/pprof/${path}`)
    assert.deepEqual([response.status, await response.text(), response.headers.get('x-go-pprof')], [status, text, '1'])
  }
})

test('without contention profiling nothing holds the event loop', async () => {
  taken.length = 0
  const { types, samples } = await readProfile(await bytesOf(await page({ contention: false })('/debug/pprof/block')))
  assert.deepEqual([types, samples, taken], [['contentions/count', 'delay/nanoseconds'], [], []])
})

test('requests in flight, for authorized users, unless profiles are off', async () => {
  const { fetch: ask, close } = await startInProcess()
  const watch = await ask('/api/v1/namespaces/default/configmaps?watch=1&labelSelector=secret')
  const text = await (await ask('/debug/pprof/goroutine?debug=1')).text()
  assert.match(text, /^goroutine profile: total [1-9]/)
  assert.match(text, /#\tGET \/debug\/pprof\/goroutine\n#\tlong-running requests|#\tGET \/debug\/pprof\/goroutine\n#\tin-process requests/)
  assert.match(
    await (await ask('/debug/pprof/goroutine?debug=2')).text(),
    /^request 1 \[GET \/debug\/pprof\/goroutine, \d+\.\d{3} s\]:\n\tGET \/debug/,
  )
  await watch.body?.cancel()
  await close()
  const { server: off } = await startInProcess({ profiling: false })
  assert.equal((await off.fetch(new Request('http://server/debug/pprof/'))).status, 404)
  assert.equal((await off.debug(new Request('http://server/debug/pprof/'))).status, 200)
  await off.close()
})
