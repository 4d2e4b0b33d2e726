/**
 * Compares this server with a real one: `npm run test:reference -- --server URL [--token TOKEN] [options]`. See README.md.
 */
import { createWriteStream, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { Command } from '../support/daemon.ts'
import { root } from '../support/root.ts'
import { acceptedDifferences } from './accepted.ts'
import { get, type Part } from './exchange.ts'
import { startHooks } from './hooks.ts'
import { compareGaps, GapCounter, readGaps, writeGaps } from './known-gaps.ts'
import { adminToken, startOurs } from './ours.ts'
import { flags } from './parts/flags.ts'
import { byFlags, parts } from './parts/index.ts'
import { Recorded, Recorder, writeVersion } from './recording.ts'
import { curl, Report } from './report.ts'
import { comparePart, firstOf, type Outcome, serverSide } from './run.ts'
import { openTarget, type Target } from './target.ts'

const { values } = parseArgs({
  options: {
    server: { type: 'string' },
    token: { type: 'string', default: adminToken },
    recorded: { type: 'boolean', default: false },
    ours: { type: 'string' },
    only: { type: 'string', multiple: true },
    binary: { type: 'string' },
    kind: { type: 'string' },
    at: { type: 'string' },
    seed: { type: 'string', default: '0' },
    whole: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
    'write-new': { type: 'boolean', default: false },
    'write-gaps': { type: 'boolean', default: false },
    grow: { type: 'boolean', default: false },
    dump: { type: 'string' },
    replay: { type: 'string' },
    classes: { type: 'string', default: '40' },
  },
})

const narrow = values.kind !== undefined || values.at !== undefined || values.replay !== undefined
const writes = values.write || values['write-new']
const seed = Number(values.seed)
const whole = values.whole || writes || narrow || seed !== 0
const selection = { kind: values.kind, at: values.at, id: values.replay, whole, seed }

function wantedParts(): readonly Part[] {
  const isWanted = ({ name, seeded }: Part) => (values.only?.includes(name) ?? true) && (seed === 0 || seeded === true)
  const wanted = parts.filter(isWanted)
  const isRun = ({ name, flags: own }: Part) =>
    values.recorded || (name === flags.name ? values.binary !== undefined : own === undefined || values.only !== undefined)
  const run = wanted.filter(isRun)
  for (const { name, flags: own } of wanted)
    if (own && !values.recorded) console.log(`${name}: ${run.length > 1 ? 'not compared; ' : ''}the reference needs ${own.join(' ')}`)
  if (!values.recorded && byFlags(run).length > 1) throw new Error('--only names parts whose servers have different flags')
  if (wanted.includes(flags) && !run.includes(flags)) console.log('flags are not compared: --binary PATH of the reference is missing')
  if (wanted.length === 0) throw new Error(`--only: parts are ${parts.map(({ name }) => name).join(', ')}`)
  return run
}

/** Opens the server at a URL, which must serve. */
async function opened(url: string, token: string, program?: Command): Promise<Target> {
  const target = openTarget(url, token, program)
  const { status, body } = await target.send(get('/api/v1/namespaces/default'))
  if (status === 200) return target
  target.close()
  throw new Error(`${url} does not serve the administrator: ${status} ${body}`)
}

async function main(): Promise<void> {
  const { server, token, recorded } = values
  if ((server === undefined) !== recorded) throw new Error('one of --server URL and --recorded is needed')
  if (seed !== 0 && (recorded || writes)) throw new Error('scenes of another --seed have no recorded answers')
  if (!Number.isSafeInteger(seed) || seed < 0) throw new Error('--seed is a whole number')
  if (writes && (recorded || narrow)) throw new Error('--write and --write-new record answers of --server')
  const wanted = wantedParts()
  if (values['write-new'] && wanted.some(({ inOrder }) => inOrder))
    throw new Error('--write-new leaves out requests, which those of a part with inOrder need: use --write')
  const reference =
    server === undefined ? undefined : await opened(server, token, values.binary === undefined ? undefined : [values.binary])
  const hooks = await startHooks()
  const began = performance.now()
  const report = new Report()
  const gaps = new GapCounter()
  const dump = values.dump === undefined ? undefined : createWriteStream(values.dump)
  const compare = async (members: readonly Part[], ours: Target) => {
    for (const part of members) {
      const recorded = values.recorded || values['write-new'] ? new Recorded(part.name, whole) : undefined
      const left = firstOf(recorded, reference && serverSide(reference, hooks.settings))
      const right = firstOf(values['write-new'] ? recorded : undefined, serverSide(ours, hooks.settings))
      const recorder = writes ? new Recorder() : undefined
      const { unknown, unselected } = await comparePart(part, left, right, selection, (outcome) => {
        report.add(outcome)
        gaps.add(outcome)
        recorder?.add(outcome)
        if (values.replay !== undefined) print(outcome)
        if (outcome.verdict === 'differs') dump?.write(`${JSON.stringify(dumped(outcome))}\n`)
      })
      if (values.replay === undefined) console.log(report.row(part.name))
      if (recorder) console.log(`${part.name}: ${recorder.write(part.name)} bytes recorded`)
      if (unknown > 0) fail(`${part.name}: ${unknown} scenes without recorded answers; record them with --write-new`)
      const unmade = recorded === undefined || narrow ? 0 : recorded.unasked + Math.max(0, recorded.beyond - unselected)
      if (unmade > 0 && writes) console.log(`${part.name}: ${unmade} answers dropped, because nothing asks for them now`)
      else if (unmade > 0) fail(`${part.name}: ${unmade} requests that were recorded are made no longer; see why, then use --write-new`)
    }
  }
  try {
    for (const { flags: own, members } of byFlags(wanted)) {
      const started = values.ours === undefined ? await startOurs(own) : undefined
      try {
        const ours = await opened(values.ours ?? started?.url ?? '', adminToken, started?.program)
        await compare(members, ours).finally(() => ours.close())
      } finally {
        await started?.stop()
      }
    }
    dump?.end()
    if (reference && values.write)
      writeVersion((JSON.parse(String((await reference.send(get('/version'))).body)) as { gitVersion: string }).gitVersion)
    tell(report, performance.now() - began)
    if (values['write-gaps']) updateGaps(gaps)
  } finally {
    reference?.close()
    hooks.close()
  }
}

function tell(report: Report, milliseconds: number): void {
  mkdirSync(join(root, 'build'), { recursive: true })
  writeFileSync(join(root, 'build/reference-classes.md'), report.classList())
  if (values.replay === undefined) console.log(report.classList(Number(values.classes)))
  console.log(`\n${report.table()}`)
  console.log(`${(milliseconds / 1000).toFixed(1)} s; all ${report.classes.size} classes: build/reference-classes.md`)
  if (report.differs > 0) process.exitCode = 1
  if (!whole || narrow) return
  console.log(`\n${report.usesTable()}`)
  const stale = acceptedDifferences.filter(({ reason, chance }) => !chance && !report.uses.has(reason))
  if (values.only === undefined && stale.length > 0)
    fail(`\naccepted differences that no answer needs:\n${stale.map(({ reason }) => `  ${reason}`).join('\n')}`)
}

/** Rows may only disappear, unless --grow says that more differences are meant: after new requests, or a new recording. */
function updateGaps({ gaps }: GapCounter): void {
  if (!values.recorded || whole || values.only !== undefined) throw new Error('--write-gaps needs --recorded, and all parts')
  const more = values.grow ? [] : compareGaps(readGaps(), gaps).more
  if (more.length > 0) fail(`not written, because there are new differences (--grow accepts them):\n${more.join('\n')}`)
  else writeGaps(gaps)
}

function fail(message: string): void {
  console.log(message)
  process.exitCode = 1
}

const dumped = ({ id, part, scene, call, reference, ours, class: text, differences }: Outcome) => ({
  ...{ id, part: part.name, kind: scene.kind, at: scene.at, class: text, call, curl: curl(call) },
  ...{ differences: differences.slice(0, 50), reference: reference.code, ours: ours.code },
})

function print({ id, scene, call, reference, ours, differences }: Outcome): void {
  console.log(`# ${id} ${scene.kind} ${scene.at}\n${curl(call)}\n`)
  console.log(`reference ${JSON.stringify(reference, null, 2)}\n\nours ${JSON.stringify(ours, null, 2)}\n`)
  for (const each of differences)
    console.log(`${each.path}\n  reference ${JSON.stringify(each.reference)}\n  ours      ${JSON.stringify(each.ours)}`)
}

await main()
