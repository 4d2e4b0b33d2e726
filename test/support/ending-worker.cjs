/** Loaded into a daemon with --require: a worker thread that finds the file END_WORKER removes it, and fails. */
const { existsSync, rmSync } = require('node:fs')
const { isMainThread } = require('node:worker_threads')

const path = process.env.END_WORKER
if (!isMainThread && path)
  setInterval(() => {
    if (!existsSync(path)) return
    try {
      rmSync(path)
    } catch {
      // Another worker found it, too.
      return
    }
    throw new Error('ended by a test')
  }, 20).unref()
