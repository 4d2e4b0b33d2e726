import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createHealth, type Health, type HealthOptions } from '../../../core/meta/health.ts'
import { createHealthMetrics } from '../../../core/meta/metrics/health.ts'
import { asked, clockAt, platform } from './fixtures.ts'

const failing = (name: string, group?: string) => ({
  name,
  ...(group !== undefined && { group }),
  check: () => Promise.reject(new Error('out of order')),
})
const fine = (name: string) => ({ name, check: () => {} })
const create = (options: Partial<HealthOptions> = {}) =>
  createHealth({ clock: clockAt(0), checks: [], shuttingDown: () => false, ...options })

async function ask(health: Health, path: string): Promise<[status: number, body: string]> {
  const response = await health.respond(asked(new URL(path, 'http://server')))
  if (!response) throw new Error(`nothing at ${path}`)
  assert.equal(response.headers.get('content-type'), 'text/plain; charset=utf-8')
  // Only a check of its own that succeeds has no such header, as in the reference.
  const single = /^\/[a-z]+\/./.test(path)
  assert.equal(response.headers.get('x-content-type-options'), single && response.status === 200 ? null : 'nosniff')
  return [response.status, await response.text()]
}

test('a healthy server answers ok, and lists each check with ?verbose', async () => {
  const health = create({ checks: [fine('store')] })
  assert.deepEqual(await ask(health, '/healthz'), [200, 'ok'])
  assert.deepEqual(await ask(health, '/healthz?verbose'), [200, '[+]ping ok\n[+]log ok\n[+]store ok\nhealthz check passed\n'])
  assert.deepEqual(await ask(health, '/readyz?verbose=1'), [
    200,
    '[+]ping ok\n[+]log ok\n[+]store ok\n[+]shutdown ok\nreadyz check passed\n',
  ])
})

test('a failed check is listed without its reason, which is logged', async () => {
  const failed: unknown[] = []
  const health = create({ checks: [failing('store')], failed: (...all) => failed.push(all) })
  assert.deepEqual(await ask(health, '/livez'), [500, '[+]ping ok\n[+]log ok\n[-]store failed: reason withheld\nlivez check failed\n'])
  assert.deepEqual(failed, [['livez', ['store: out of order']]])
})

test('checks can be excluded by name or group; unknown names are reported', async () => {
  const health = create({ checks: [failing('a'), failing('b', 'boot')] })
  assert.deepEqual(await ask(health, '/healthz?verbose&exclude=a&exclude=boot&exclude=z&exclude=y'), [
    200,
    '[+]ping ok\n[+]log ok\n[+]a excluded: ok\n[+]b excluded with boot: ok\n' +
      'warn: some health checks cannot be excluded: no matches for "y","z"\nhealthz check passed\n',
  ])
  assert.equal((await ask(health, '/healthz?exclude=a'))[0], 500)
})

test('each check has its own path, which shows the reason', async () => {
  const health = create({ checks: [failing('store')] })
  assert.deepEqual(await ask(health, '/healthz/ping'), [200, 'ok'])
  assert.deepEqual(await ask(health, '/readyz/store'), [500, 'internal server error: out of order\n'])
  assert.ok(health.paths.includes('/livez/store'))
  assert.equal(health.respond(asked(new URL('http://server/healthz/none'))), undefined)
  assert.equal(health.respond(asked(new URL('http://server/livez/shutdown'))), undefined)
})

test('/livez ignores unfinished start-up during the grace period; /readyz and /healthz do not', async () => {
  let now = 1000
  const clock = { now: () => now, monotonic: () => now, after: () => () => {} }
  const health = create({ clock, bootChecks: [failing('boot')], graceEnds: 6000 })
  assert.equal((await ask(health, '/livez'))[0], 200)
  assert.equal((await ask(health, '/readyz'))[0], 500)
  assert.equal((await ask(health, '/healthz'))[0], 500)
  now = 6000
  assert.equal((await ask(health, '/livez'))[0], 500)
})

test('shutdown makes only /readyz fail', async () => {
  const health = create({ shuttingDown: () => true })
  assert.deepEqual(await ask(health, '/readyz'), [500, '[+]ping ok\n[+]log ok\n[-]shutdown failed: reason withheld\nreadyz check failed\n'])
  assert.equal((await ask(health, '/livez'))[0], 200)
  assert.equal((await ask(health, '/healthz'))[0], 200)
})

test('results of checks are counted by endpoint, except those that were excluded or asked for alone', async () => {
  const metrics = createHealthMetrics(0, platform)
  const health = create({ checks: [failing('store')], observe: metrics.observe })
  await ask(health, '/readyz')
  await ask(health, '/readyz?exclude=store')
  await ask(health, '/livez/ping')
  const lines = metrics.registry.text().split('\n')
  const series = lines.filter((line) => /store|ping/.test(line))
  assert.deepEqual(series, [
    'kubernetes_healthcheck{name="ping",type="readyz"} 1',
    'kubernetes_healthcheck{name="store",type="readyz"} 0',
    'kubernetes_healthchecks_total{name="ping",status="success",type="readyz"} 2',
    'kubernetes_healthchecks_total{name="store",status="error",type="readyz"} 1',
  ])
})
