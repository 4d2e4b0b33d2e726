/** Loads the test files of one process, each in its own suite, so that top-level hooks apply only to the tests of their file. */
import { before, describe } from 'node:test'
import { followNoMore } from './async-hooks.mjs'
import { noteUsage } from './usage.mjs'

/** The file whose tests are running. */
let current = 'loading'

/** Reports an error outside of all tests. Without this handler its origin would be lost, and tests might hang. */
function stray(error) {
  process.stderr.write(`not ok: ${current}: an error that no test awaits: ${error?.stack ?? error}\n`)
  process.exit(1)
}

/** `files`: names and loaders. Tests run when all files are loaded. */
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
