/**
 * Compares this server with a real one: `npm run test:reference -- --server URL [--token TOKEN] [options]`. See README.md.
 */
import { createWriteStream, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { root } from '../support/root.ts'
import { acceptedDifferences } from './accepted.ts'
import { adminToken, startOurs } from './ours.ts'
import { parts } from './parts/index.ts'
import { curl, Report } from './report.ts'
import { comparePart, type Outcome, serverSide } from './run.ts'
import { openTarget } from './target.ts'

const { values } = parseArgs({
  options: {
    server: { type: 'string' },
    token: { type: 'string', default: adminToken },
    ours: { type: 'string' },
    only: { type: 'string', multiple: true },
    kind: { type: 'string' },
    at: { type: 'string' },
    whole: { type: 'boolean', default: false },
    dump: { type: 'string' },
    replay: { type: 'string' },
    classes: { type: 'string', default: '40' },
  },
})

/** Share of the scenes that is sent without --whole. */
const boundedShare = 0.1

async function main(): Promise<void> {
  if (values.server === undefined) throw new Error('--server URL is missing: a kube-apiserver of the release to compare with')
  const wanted = parts.filter(({ name }) => values.only === undefined || values.only.includes(name))
  if (wanted.length === 0) throw new Error(`--only: parts are ${parts.map(({ name }) => name).join(', ')}`)
  const started = values.ours === undefined ? await startOurs() : undefined
  const targets = [openTarget(values.server, values.token), openTarget(values.ours ?? started?.url ?? '', adminToken)] as const
  try {
    const report = new Report()
    const dump = values.dump === undefined ? undefined : createWriteStream(values.dump)
    const began = performance.now()
    const narrow = values.kind !== undefined || values.at !== undefined || values.replay !== undefined
    const share = values.whole || narrow ? 1 : boundedShare
    for (const part of wanted) {
      const [reference, ours] = targets.map((target) => serverSide(target, {}))
      await comparePart(
        part,
        reference!,
        ours!,
        { kind: values.kind, at: values.at, id: values.replay, share: part.small ? 1 : share },
        (outcome) => {
          report.add(outcome)
          if (values.replay !== undefined) print(outcome)
          if (outcome.verdict === 'differs') dump?.write(`${JSON.stringify({ ...outcome, curl: curl(outcome.call) })}\n`)
        },
      )
    }
    dump?.end()
    const text = report.classList()
    mkdirSync(join(root, 'build'), { recursive: true })
    writeFileSync(join(root, 'build/reference-classes.md'), text)
    if (values.replay === undefined) console.log(report.classList(Number(values.classes)))
    console.log(`\n${report.table()}`)
    console.log(`${((performance.now() - began) / 1000).toFixed(1)} s; all ${report.classes.size} classes: build/reference-classes.md`)
    const stale = acceptedDifferences.filter(({ reason }) => !report.needed.has(reason))
    if (values.whole && values.only === undefined && stale.length > 0) {
      console.log(`accepted differences that no answer needs:\n${stale.map(({ reason }) => `  ${reason}`).join('\n')}`)
      process.exitCode = 1
    }
    if (report.differs > 0) process.exitCode = 1
  } finally {
    for (const target of targets) target.close()
    await started?.stop()
  }
}

function print({ id, kind, at, call, reference, ours, differences }: Outcome): void {
  console.log(`# ${id} ${kind} ${at}\n${curl(call)}\n`)
  console.log(`reference ${JSON.stringify(reference, null, 2)}\n\nours ${JSON.stringify(ours, null, 2)}\n`)
  for (const each of differences)
    console.log(`${each.path}\n  reference ${JSON.stringify(each.reference)}\n  ours      ${JSON.stringify(each.ours)}`)
}

await main()
