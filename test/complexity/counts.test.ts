/**
 * Requests cost the same however many other things there are: watches, namespaces, service accounts, roles, definitions, nodes and so on. Two
 * servers are compared in one process, one of which has many of everything. `COUNT=5000 POPULATION='watches of other labels'` looks closer.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { processorTime } from '../support/cost.ts'
import { soak } from '../support/soak.ts'
import { type Operation, operations } from './counts/operations.ts'
import { type Population, populations } from './counts/populations.ts'
import { openSite, type Site } from './counts/site.ts'

const { COUNT, POPULATION = '' } = process.env
const count = Number(COUNT ?? (soak ? 3_000 : 400))
const runs = 10
/** Milliseconds for what controllers do after the response, which is measured too. */
const aftermath = 10
/** Limit for the ratio of processor times. Work that costs 1 µs for each of `count` things more than doubles most requests. */
const maxGrowth = 1.6
/** A growth must show in the least of so many rounds, because other processes disturb single ones. */
const rounds = { first: 3, suspected: 12 }
/** Additions in flight. */
const width = 50

async function fill(site: Site, { share = 1, add }: Population): Promise<void> {
  const wanted = Math.ceil(count * share)
  for (let from = 0; from < wanted; from += width)
    await Promise.all(Array.from({ length: Math.min(width, wanted - from) }, (_, index) => add(site, from + index)))
}

let number = 0
/** Microseconds of processor time of one run. */
async function costOf(site: Site, { run }: Operation): Promise<number> {
  const { milliseconds } = await processorTime(async () => {
    for (let index = 0; index < runs; index++) await run(site, number++)
    await new Promise((resolve) => setTimeout(resolve, aftermath))
  })
  return (milliseconds * 1000) / runs
}

/** Least costs on both sites, measured alternately. */
async function compared(few: Site, many: Site, operation: Operation, rounds: number): Promise<readonly [few: number, many: number]> {
  const least: [number, number] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]
  for (let round = 0; round < rounds; round++) {
    least[0] = Math.min(least[0], await costOf(few, operation))
    least[1] = Math.min(least[1], await costOf(many, operation))
  }
  return least
}

test('requests cost no more beside many other things', async (t) => {
  const [few, many] = [await openSite(), await openSite()]
  t.after(() => Promise.all([few.close(), many.close()]))
  for (const site of [few, many]) for (const { prepare } of operations) await prepare?.(site)
  // Compiles the code before anything is compared.
  for (const operation of operations) await compared(few, many, operation, 2)
  const chosen = populations.filter(({ name }) => name.includes(POPULATION))
  assert.ok(chosen.length > 0, `no population ${POPULATION}`)
  for (const population of chosen) await fill(many, population)
  const found: string[] = []
  for (const operation of operations) {
    let [before, after] = await compared(few, many, operation, rounds.first)
    if (after > before * maxGrowth) [before, after] = await compared(few, many, operation, rounds.suspected)
    const told = `${operation.name}: ${before.toFixed(0)} µs, ${after.toFixed(0)} µs beside ${count}`
    if (COUNT !== undefined) t.diagnostic(told)
    if (after > before * maxGrowth) found.push(told)
  }
  assert.deepEqual(found, [])
})
