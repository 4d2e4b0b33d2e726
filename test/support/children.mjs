/** Child processes that end with this process, and with everything that they started. */
import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'

/** Milliseconds that children have to end by themselves. */
const timeout = 3000
const groups = new Set()

function signal(group, name) {
  try {
    process.kill(-group, name)
    return true
  } catch {
    return false
  }
}

/** As `spawn`, in a process group of its own. What is left of the group when the child has ended is killed. */
export function startGroup(command, args, options) {
  const child = spawn(command, args, { ...options, detached: true })
  const { pid } = child
  if (pid === undefined) return child
  groups.add(pid)
  child.once('exit', () => {
    signal(pid, 'SIGKILL')
    groups.delete(pid)
  })
  return child
}

/** Ends all groups: SIGTERM, then SIGKILL to what is left. */
async function endGroups() {
  const left = () => [...groups].filter((group) => signal(group, 0))
  for (const group of groups) signal(group, 'SIGTERM')
  for (const end = performance.now() + timeout; left().length > 0 && performance.now() < end; ) await sleep(20)
  for (const group of left()) signal(group, 'SIGKILL')
}

/** Makes the groups end when this process is interrupted or terminated; it then exits with the status that shells expect. */
export function endGroupsWithProcess() {
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.once(name, async () => {
      await endGroups()
      process.exit(128 + constants.signals[name])
    })
  }
  process.once('exit', () => {
    for (const group of groups) signal(group, 'SIGKILL')
  })
}
