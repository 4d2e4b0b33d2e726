/** Runs of a program with wrong flags, as answers to calls with the method RUN. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { killedAtExit } from '../support/child.ts'
import type { Command } from '../support/daemon.ts'
import { freePort } from '../support/free-port.ts'
import { temporaryDirectory } from '../support/temporary.ts'
import type { Answer } from './exchange.ts'
import { serviceAccountKey } from './ours.ts'

/** Milliseconds after which a program that accepted its flags is ended; the reference gives up its store after 20 s. */
const timeout = 15_000
/** The exit code that stands for a program that started. */
const started = -1

/** Time, process and place of a line of log. */
const prefix = /^[EF]\d{4} [\d:.]+ +\d+ [\w.]+:\d+\] /

/** Runs the program in a directory with nothing but `accounts.key`. `flags`: a JSON list, where `{{port}}` stands for a free port. */
export async function run([program, ...args]: Command, flags: string): Promise<Answer> {
  const { path, remove } = temporaryDirectory('flags')
  writeFileSync(join(path, 'accounts.key'), serviceAccountKey())
  const own = [...args, ...(JSON.parse(flags.replaceAll('{{port}}', String(await freePort()))) as string[])]
  const child = killedAtExit(spawn(program, own, { cwd: path, stdio: ['ignore', 'ignore', 'pipe'] }))
  let text = ''
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk
  })
  let late = false
  const timer = setTimeout(() => {
    late = true
    child.kill('SIGKILL')
  }, timeout)
  const [code] = (await once(child, 'close')) as [number | null]
  clearTimeout(timer)
  remove()
  const lines = text.split('\n').filter((line) => prefix.test(line) || /^(error|unknown)/i.test(line))
  const told = late ? [] : lines.map((line) => line.replace(prefix, ''))
  return { status: late ? started : (code ?? started), headers: [], body: Buffer.from(told.join('\n')) }
}
