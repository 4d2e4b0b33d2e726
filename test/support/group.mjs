/** Loads the test files of one process, each in its own suite, so that top-level hooks apply only to the tests of their file. */
import { after, afterEach, before, describe } from 'node:test'
import { followNoMore } from './async-hooks.mjs'
import { noteUsage } from './usage.mjs'

/** The file whose tests are running. */
let current = 'loading'

/** Reports an error outside of all tests. Without this handler its origin would be lost, and tests might hang. */
function stray(error) {
  process.stderr.write(`not ok: ${current}: an error that no test awaits: ${error?.stack ?? error}\n`)
  process.exit(1)
}

/** Milliseconds from the last test to the exit of a process in which a test failed. */
const grace = 10_000

/**
 * `files`: names and loaders. Tests run when all files are loaded. The process ends when nothing is left to wait for. If a test failed it ends
 * soon after the last one, because what that test did not stop, such as a daemon, would keep the process alive.
 */
export function group(files) {
  let left = files.length
  let unfinished = files.length
  let failed = false
  let ready
  const all = new Promise((resolve) => {
    ready = resolve
  })
  const loaded = () => {
    if (--left > 0) return
    followNoMore()
    for (const event of ['uncaughtException', 'unhandledRejection']) process.on(event, stray)
    ready()
  }
  for (const [name, load] of files)
    describe(name, async () => {
      before(() => {
        current = name
      })
      afterEach((context) => {
        failed ||= context.passed === false
      })
      after(() => {
        if (--unfinished === 0 && failed) setTimeout(() => process.exit(1), grace).unref()
      })
      if (files.length > 1) noteUsage(name)
      await load().finally(loaded)
      await all
    })
}
