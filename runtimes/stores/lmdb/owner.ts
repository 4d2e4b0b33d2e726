import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

/** A process that owns a data directory. Written as JSON. */
export interface Owner {
  readonly pid: number
  /** When the process began, in the terms of its host; tells it from a later process with the same id. */
  readonly started: string
}

export function thisProcess(): Owner {
  return { pid: process.pid, started: startOf(process.pid) ?? '' }
}

/** Whether the process still runs. A killed one does not, even while its parent has yet to collect it, or its id is in use again. */
export function alive(owner: Owner): boolean {
  try {
    process.kill(owner.pid, 0)
  } catch (error) {
    // EPERM: it is there, and someone else's.
    if (!(error instanceof Error && 'code' in error && error.code === 'EPERM')) return false
  }
  const started = startOf(owner.pid)
  return started === undefined || started === owner.started
}

/** Undefined when the host can't tell; empty when there is no such process. */
function startOf(pid: number): string | undefined {
  try {
    if (process.platform === 'linux') return linuxStart(pid)
    if (process.platform === 'win32') return undefined
    return execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim()
  } catch {
    return undefined
  }
}

/** proc(5): the fields after the command, which is in parentheses and may hold anything, are state (3) … starttime (22). */
function linuxStart(pid: number): string {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  if (fields[0] === 'Z' || fields[0] === 'X') return ''
  return `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()}/${fields[19]}`
}
