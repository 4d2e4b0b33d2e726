/** The ports of the host on Node: clock, files, outgoing calls, log. */
import { type FSWatcher, statSync, watch as watchDirectory } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Files, Logger, Outbound } from '../../../core/ports.ts'
import { reasonOf } from '../../atomic-file.ts'
import { awaitNamedFile } from '../../named-file.ts'
import { nodeClock } from '../clock.ts'
import { jsonFormat } from '../log/formats.ts'
import { createLog } from '../log/logger.ts'
import { oneStream } from '../log/output.ts'
import { Verbosity } from '../log/verbosity.ts'
import { createOutbound } from '../network/outbound.ts'

export { nodeClock }

const settleMilliseconds = 50
const pollMilliseconds = 60_000

const isDirectory = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true

/** The file system. A watch survives files that are replaced by renaming, and mounted volumes whose directory is a symbolic link that is swapped. */
export const nodeFiles: Files = {
  async read(path) {
    try {
      return await awaitNamedFile(path)
    } catch (error) {
      throw new Error(`read ${path}: ${reasonOf(error)}`)
    }
  },

  async list(directory) {
    try {
      const entries = await readdir(directory, { withFileTypes: true })
      return entries.filter((entry) => !entry.isDirectory()).map(({ name }) => name)
    } catch (error) {
      throw new Error(`read ${directory}: ${reasonOf(error)}`)
    }
  },

  watch(path, changed) {
    let closed = false
    let timer: NodeJS.Timeout | undefined
    const watchers: FSWatcher[] = []
    const identity = () =>
      stat(path, { bigint: true }).then(
        ({ ino, size, mtimeNs }) => `${ino} ${size} ${mtimeNs}`,
        () => 'none',
      )
    let known = identity()
    // The caller has read the file before it began to watch: it may have changed in between.
    void known.then(() => closed || changed())
    const compare = async () => {
      const [before, now] = await Promise.all([known, identity()])
      if (closed || before === now) return
      known = Promise.resolve(now)
      changed()
    }
    // One write causes several events: wait until they stop. Some file systems have no events: poll as well.
    const look = () => {
      clearTimeout(timer)
      timer = setTimeout(compare, settleMilliseconds).unref()
    }
    const poll = setInterval(compare, pollMilliseconds).unref()
    // A folder changes with the names in it, of which its parent tells nothing.
    for (const directory of isDirectory(path) ? [dirname(path), path] : [dirname(path)])
      try {
        const watcher = watchDirectory(directory, { persistent: false }, look)
        watcher.on('error', () => watcher.close())
        watchers.push(watcher)
      } catch {
        // No such directory yet: the poll finds the file when it comes.
      }
    return () => {
      closed = true
      clearTimeout(timer)
      clearInterval(poll)
      for (const watcher of watchers) watcher.close()
    }
  },
}

/**
 * A log of one JSON line per message, as the daemon's with `--logging-format=json`, written before the call returns; to standard error by default.
 * Debug messages need verbosity (flag `-v`) 4 or higher.
 */
export const nodeLogger = (verbosity: number, to?: { write(line: string): unknown }): Logger =>
  createLog({
    format: jsonFormat(),
    output: to ? { write: (line) => void to.write(line), flush: () => {} } : oneStream,
    verbosity: new Verbosity(verbosity),
    now: nodeClock.now,
  })

/** Outgoing calls of this process. */
export const nodeOutbound: Outbound = createOutbound()
