/**
 * Loaded into a daemon with --require. A worker thread that finds the file END_WORKER removes it, and fails. One that would listen while there is the file
 * HOLD_WORKER writes its number to it, and does not.
 */
const { existsSync, rmSync, writeFileSync } = require('node:fs')
const { Server } = require('node:net')
const { isMainThread, threadId } = require('node:worker_threads')

const { END_WORKER: end, HOLD_WORKER: hold } = process.env
if (!isMainThread && end)
  setInterval(() => {
    if (!existsSync(end)) return
    try {
      rmSync(end)
    } catch {
      // Another worker found it, too.
      return
    }
    throw new Error('ended by a test')
  }, 20).unref()
if (!isMainThread && hold) {
  const { listen } = Server.prototype
  Server.prototype.listen = function (...options) {
    if (!existsSync(hold)) return listen.apply(this, options)
    writeFileSync(hold, String(threadId))
    return this
  }
}
