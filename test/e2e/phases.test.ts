/** The phases of a daemon's life, from outside: a start that waits, health checks, and the order of a shutdown. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { request } from 'node:https'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { killedAtExit } from '../support/child.ts'
import { bundle, type Daemon, startDaemon } from '../support/daemon.ts'
import { freePort } from '../support/free-port.ts'
import { temporaryDirectory } from '../support/temporary.ts'
import { eventually, within } from '../support/wait.ts'
import { watchAt } from '../support/watch-reader.ts'

const collection = '/api/v1/namespaces/default/configmaps'

/** Status and body, for a client that trusts any server. */
async function ask(port: number, path: string): Promise<readonly [status: number, body: string]> {
  const outgoing = request({ host: '127.0.0.1', port, path, rejectUnauthorized: false, agent: false }).end()
  const [incoming] = await within(path, once(outgoing, 'response'))
  let text = ''
  for await (const chunk of incoming.setEncoding('utf8')) text += chunk
  return [incoming.statusCode, text]
}

/** Starts a daemon whose store does not answer. */
async function startWithoutStore(flags: readonly string[]) {
  const { path, remove } = temporaryDirectory('phases')
  const port = await freePort()
  const usual = [`--secure-port=${port}`, '--bind-address=127.0.0.1', `--cert-dir=${join(path, 'pki')}`]
  // No other test's store is ever at this port.
  const store = '--kvstore-servers=http://127.0.0.1:1'
  const child = killedAtExit(spawn(process.execPath, [bundle, ...usual, store, ...flags], { stdio: ['ignore', 'ignore', 'pipe'] }))
  let log = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    log += text
  })
  const stop = () => {
    child.kill('SIGKILL')
    remove()
  }
  return { port, ended: once(child, 'close'), log: () => log, [Symbol.dispose]: stop }
}

/** Uses it as soon as its port is open. */
async function withoutStore(flags: readonly string[], use: (port: number) => Promise<void>) {
  using daemon = await startWithoutStore(flags)
  await eventually('the port', async () => (await ask(daemon.port, '/livez/ping'))[0] === 200)
  await use(daemon.port)
}

describe('a start that waits for its store', () => {
  test('names what is missing; /livez does not tell before the grace period ends', () =>
    withoutStore(['--livez-grace-period=1h'], async (port) => {
      const [status, ready] = await ask(port, '/readyz?verbose')
      assert.equal(status, 500)
      const hooks = ready.split('\n').flatMap((line) => /^\[-\](poststarthook\/\S+) failed: reason withheld$/.exec(line)?.[1] ?? [])
      assert.ok(hooks.includes('poststarthook/bootstrap-controller'), ready)
      assert.match(ready, /\nreadyz check failed\n$/)
      assert.deepEqual(await ask(port, '/readyz/poststarthook/bootstrap-controller'), [500, 'internal server error: not finished\n'])
      const others = hooks.slice(1).map((name) => `exclude=${name}`)
      const [, excluded] = await ask(port, `/readyz?verbose&${others.join('&')}&exclude=none`)
      for (const name of hooks.slice(1)) assert.ok(excluded.includes(`[+]${name} excluded: ok\n`), name)
      assert.match(excluded, /warn: some health checks cannot be excluded: no matches for "none"\n/)
      const [early, why] = await ask(port, '/livez?exclude=kvstore&verbose')
      assert.equal(early, 200, why)
    }))

  test('/livez tells when the grace period ends', () =>
    withoutStore(['--livez-grace-period=1s'], async (port) => {
      const [, why] = await eventually('the end of the grace period', async () => {
        const answer = await ask(port, '/livez?exclude=kvstore')
        return answer[0] === 500 && answer
      })
      assert.match(why, /\[-\]poststarthook\/bootstrap-controller failed: reason withheld\n/)
    }))

  test('without a grace period /livez does not wait; requests get 503', () =>
    withoutStore([], async (port) => {
      assert.equal((await ask(port, '/livez?exclude=kvstore'))[0], 500)
      const [status, body] = await ask(port, '/api/v1/namespaces')
      assert.deepEqual([status, (JSON.parse(body) as { message: string }).message], [503, 'apiserver is starting'])
    }))

  test('--storage-initialization-timeout ends it', async () => {
    using daemon = await startWithoutStore(['--storage-initialization-timeout=1s'])
    assert.deepEqual(await within('the end of the daemon', daemon.ended), [1, null])
    assert.match(daemon.log(), /^error: the store at http:.* does not respond: .+$/m)
  })
})

describe('health checks of a daemon that serves', () => {
  let daemon: Daemon
  before(async () => {
    daemon = await startDaemon({ flags: ['--data-dir=:memory:', '--shutdown-delay-duration=1h'] })
  })
  after(() => daemon.stop('SIGKILL'))

  test('single checks, exclusions and words are those of the reference', async () => {
    const text = async (path: string) => {
      const response = await daemon.fetch(path)
      return [response.status, await response.text()] as const
    }
    assert.deepEqual(await text('/livez'), [200, 'ok'])
    assert.deepEqual(await text('/livez/ping?exclude=ping'), [200, 'ok'])
    assert.deepEqual(await text('/readyz?exclude='), [200, 'ok'])
    assert.equal((await text('/readyz/none'))[0], 404)
    for (const endpoint of ['livez', 'readyz', 'healthz']) {
      const [, verbose] = await text(`/${endpoint}?verbose`)
      const names = verbose.split('\n').flatMap((line) => /^\[\+\](\S+) ok$/.exec(line)?.[1] ?? [])
      assert.ok(verbose.endsWith(`\n${endpoint} check passed\n`))
      assert.equal(names.length, verbose.split('\n').length - 2, 'a check in each line')
      for (const name of names) {
        assert.deepEqual(await text(`/${endpoint}/${name}`), [200, 'ok'], name)
        assert.ok((await text(`/${endpoint}?verbose&exclude=${name}`))[1].includes(`[+]${name} excluded: ok\n`), name)
      }
    }
  })

  test('after SIGTERM they fail, and requests are answered, until --shutdown-delay-duration is over', async () => {
    process.kill(daemon.pid, 'SIGTERM')
    await eventually('/readyz fails during the delay', async () => {
      const response = await daemon.fetch('/readyz/shutdown')
      return response.status === 500 && (await response.text()) === 'internal server error: process is shutting down\n'
    })
    assert.equal((await daemon.fetch(collection)).status, 200)
  })
})

describe('a shutdown', () => {
  test('has the events of the reference in its order, with -v=1', async () => {
    const daemon = await startDaemon({ flags: ['--data-dir=:memory:', '-v=1', '--shutdown-delay-duration=200ms'] })
    process.kill(daemon.pid, 'SIGTERM')
    assert.equal(await daemon.ended(), 0)
    const events = [...daemon.log().matchAll(/"\[graceful-termination\] (.+)" name="(\w+)"/g)].map(([, what, name]) => `${what}: ${name}`)
    assert.deepEqual(events, [
      'shutdown event: ShutdownInitiated',
      'pre-shutdown hooks completed: PreShutdownHooksStopped',
      'shutdown event: AfterShutdownDelayDuration',
      'shutdown event: NotAcceptingNewRequest',
      'shutdown event: InFlightRequestsDrained',
      'shutdown event: HTTPServerStoppedListening',
    ])
    await daemon.stop()
  })

  test('ends watches one after the other with --shutdown-watch-termination-grace-period', async () => {
    const count = 60
    const daemon = await startDaemon({ flags: ['--data-dir=:memory:', '--shutdown-watch-termination-grace-period=10s'] })
    const watches = await Promise.all(Array.from({ length: count }, () => watchAt(daemon.fetch, collection, {})))
    const ends = Promise.all(watches.map((watch) => watch.rest()))
    const began = performance.now()
    process.kill(daemon.pid, 'SIGTERM')
    await within('the ends', ends)
    // At least 200 a second: four each 20 ms. A busy client reads several ends at once, so that only the last one says how long it took.
    assert.ok(performance.now() - began >= (count / 4 - 2) * 20)
    assert.equal(await daemon.ended(), 0)
    await daemon.stop()
  })
})
