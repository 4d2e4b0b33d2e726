/** Loads the test files of one process, each in a suite of its own, so that hooks on a file's top level are those of its tests alone. */
import { before, describe } from 'node:test'
import { followNoMore } from './async-hooks.mjs'
import { noteUsage } from './usage.mjs'

/** The file whose tests run. */
let current = 'loading'

/** An error outside of all tests, which nothing waits for: without this, it would say neither where nor what it is, and tests might hang. */
function stray(error) {
  process.stderr.write(`not ok: ${current}: an error that no test awaits: ${error?.stack ?? error}\n`)
  process.exit(1)
}

/** `files`: names, and how each is loaded. No test runs before all are loaded. */
export function group(files) {
  let left = files.length
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
      if (files.length > 1) noteUsage(name)
      await load().finally(loaded)
      await all
    })
}
