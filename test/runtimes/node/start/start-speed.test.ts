/** Processor time and memory of a daemon start: the minimum of several, which excludes effects of other processes. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { slowness } from '../../../support/cost.ts'
import { startDaemon } from '../../../support/daemon.ts'
import { residentMiB } from '../../../support/memory.ts'
import { temporaryDirectory } from '../../../support/temporary.ts'

const starts = 5
/** Milliseconds of processor time from exec until it serves; some 150 on an idle machine, and 450 without cached compiled code. */
const maxTime = 350
/** Resident MiB when it serves; some 91. */
const maxMemory = 94

/** Processor time in hundredths of a second: fields 14 and 15 of proc_pid_stat(5). */
function processorTime(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ')
  return (Number(fields[11]) + Number(fields[12])) * 10
}

test('the daemon starts quickly and with little memory', { skip: process.platform === 'linux' ? false : 'no /proc here' }, async (t) => {
  const { path: directory, remove } = temporaryDirectory()
  const times: number[] = []
  const sizes: number[] = []
  try {
    for (let start = 0; start < starts; start++) {
      const daemon = await startDaemon({ directory })
      times.push(processorTime(daemon.pid))
      sizes.push(residentMiB(daemon.pid))
      await daemon.stop()
    }
  } finally {
    remove()
  }
  t.diagnostic(`${times.join(', ')} ms; ${sizes.map(Math.round).join(', ')} MiB`)
  assert.ok(Math.min(...times) < maxTime * (await slowness()), `${times.join(', ')} ms`)
  assert.ok(Math.min(...sizes) < maxMemory, `${sizes.map(Math.round).join(', ')} MiB`)
})
