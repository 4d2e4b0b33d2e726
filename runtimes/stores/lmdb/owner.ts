import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

/** A process that owns a data directory. Written as JSON. */
export interface Owner {
  readonly pid: number
  /** Start time of the process, as the host reports it; distinguishes it from a later process with the same id. */
  readonly started: string
}

/** True while the process runs; false for zombies and reused process ids. */
export function alive(owner: Owner): boolean {
  try {
    process.kill(owner.pid, 0)
  } catch (error) {
    // EPERM: the process exists and belongs to another user.
    if (!(error instanceof Error && 'code' in error && error.code === 'EPERM')) return false
  }
  const started = startOf(owner.pid)
  return started === undefined || started === owner.started
}

/** Start time of a process; undefined when the host does not report it, empty without such a process. */
function startOf(pid: number): string | undefined {
  try {
    if (process.platform === 'linux') return linuxStart(pid)
    if (process.platform === 'win32') return undefined
    return execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim()
  } catch {
    return undefined
  }
}

/** proc(5): the command in parentheses may contain any character; the fields after it are state (3) … starttime (22). */
function linuxStart(pid: number): string {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  if (fields[0] === 'Z' || fields[0] === 'X') return ''
  return `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()}/${fields[19]}`
}
