/** This server answers a bounded part of all requests as the reference did, apart from the rows of known-gaps.txt. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Part } from './exchange.ts'
import { type Hooks, startHooks } from './hooks.ts'
import { compareGaps, GapCounter, readGaps } from './known-gaps.ts'
import { adminToken, startOurs } from './ours.ts'
import { byFlags, parts } from './parts/index.ts'
import { Recorded, recordedVersion } from './recording.ts'
import { comparePart, serverSide } from './run.ts'
import { openTarget, type Target } from './target.ts'

let hooks: Hooks
before(async () => {
  hooks = await startHooks()
})
after(() => hooks.close())

/** Runs the parts on a server with their flags. */
async function onServer(flags: readonly string[], run: (target: Target) => Promise<void>): Promise<void> {
  const ours = await startOurs(flags)
  const target = openTarget(ours.url, adminToken, ours.program)
  await run(target).finally(() => target.close())
  await ours.stop()
}

test(`answers are as those of the reference, ${recordedVersion()}`, async () => {
  const counter = new GapCounter()
  let compared = 0
  const unknown: string[] = []
  const unmade: string[] = []
  const compare = async (part: Part, target: Target) => {
    const recorded = new Recorded(part.name, false)
    const { unknown: missing, unselected } = await comparePart(
      part,
      recorded,
      serverSide(target, hooks.settings),
      { whole: false, seed: 0 },
      (outcome) => {
        compared++
        counter.add(outcome)
      },
    )
    if (missing > 0) unknown.push(`${part.name}: ${missing}`)
    if (recorded.unasked > 0) unmade.push(`${part.name}: ${recorded.unasked}`)
    if (unselected !== recorded.beyond) unmade.push(`${part.name}: ${recorded.beyond} beyond the bounded run, now ${unselected}`)
  }
  for (const { flags, members } of byFlags(parts.filter(({ slow }) => !slow)))
    await onServer(flags, async (target) => {
      for (const part of members) await compare(part, target)
    })
  assert.deepEqual(unknown, [], 'requests without recorded answer: record with --write-new')
  assert.deepEqual(unmade, [], 'requests that were recorded are made no longer: see why, then record with --write-new')
  assert.ok(compared > 10_000, `${compared} requests`)
  const { more, less } = compareGaps(readGaps(), counter.gaps)
  assert.deepEqual(more, [], 'new differences from the reference')
  assert.deepEqual(less, [], 'mended: run npm run test:reference -- --recorded --write-gaps, and commit known-gaps.txt')
})
