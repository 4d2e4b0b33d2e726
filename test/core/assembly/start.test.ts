/** Starts that fail leave nothing behind, and hooks of the caller can't delay a start. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Clock, KeyValueStore, StoreWatcher } from '../../../core/ports.ts'
import { StoreError } from '../../../core/ports.ts'
import { memoryStore } from '../../../runtimes/web/index.ts'
import { webClock } from '../../../runtimes/web/ports.ts'
import { startInProcess } from '../../support/in-process.ts'
import { eventually } from '../../support/wait.ts'

/** A store whose disk is full after `writes` writes, and a clock; `open` counts their watches and timers. */
function countedPorts(writes: number) {
  const real = memoryStore()
  let left = writes
  const open = { watches: 0, timers: 0 }
  const ended = (watcher: StoreWatcher): StoreWatcher => ({
    events: (events) => watcher.events(events),
    progress: (revision) => watcher.progress(revision),
    end(error) {
      open.watches--
      watcher.end(error)
    },
  })
  const store: KeyValueStore = {
    get: (...given) => real.get(...given),
    list: (...given) => real.list(...given),
    count: (...given) => real.count(...given),
    size: () => real.size(),
    delete: (...given) => real.delete(...given),
    currentRevision: () => real.currentRevision(),
    compact: (...given) => real.compact(...given),
    grantLease: (...given) => real.grantLease(...given),
    close: () => real.close(),
    put: async (...given) => {
      if (left-- <= 0) throw new StoreError('no-space', 'the disk is full')
      return real.put(...given)
    },
    watch(prefix, after, watcher, options) {
      open.watches++
      return real.watch(prefix, after, ended(watcher), options)
    },
  }
  const clock: Clock = {
    ...webClock,
    after(milliseconds, callback) {
      open.timers++
      let over = false
      const done = () => {
        if (!over) open.timers--
        over = true
      }
      const cancel = webClock.after(milliseconds, () => {
        done()
        callback()
      })
      return () => {
        done()
        cancel()
      }
    },
  }
  return { store, clock, open }
}

test('a start that fails at any write ends its watches and timers', async () => {
  let failed = 0
  for (let writes = 0; ; writes = Math.ceil((writes + 1) * 1.5)) {
    const { store, clock, open } = countedPorts(writes)
    const message = await startInProcess({ store, clock, controllers: [], authorizationModes: ['Node', 'RBAC'] }).then(
      ({ close }) => close(),
      (error: unknown) => String(error),
    )
    await eventually(`no watches and timers after ${writes} writes`, async () => open.watches === 0 && open.timers === 0)
    if (message === undefined) break
    assert.match(message, /the disk is full/)
    failed++
  }
  assert(failed > 5, `${failed} starts failed`)
})

test('hooks that never answer delay no start and no close', async () => {
  const never = () => new Promise<never>(() => {})
  const hooks = {
    authenticators: [{ name: 'silent', authenticate: never }],
    tokenAuthenticators: [{ name: 'silent', authenticateToken: never }],
    authorizers: [{ name: 'silent', authorize: never }],
    extraPlugins: [{ name: 'silent', operations: ['CREATE', 'UPDATE', 'DELETE'] as const, mutate: never, validate: never }],
  }
  for (const authorizationModes of [['AlwaysAllow'], ['Node', 'RBAC']] as const) {
    const { api, close } = await startInProcess({ authorizationModes, requestTimeout: 20, ...hooks })
    // The hooks are asked by requests, which end at the deadline.
    assert.equal((await api.get('/api/v1/namespaces')).status, 504)
    await close()
  }
})
