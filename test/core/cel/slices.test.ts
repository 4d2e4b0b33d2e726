import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createCelEnvironment } from '../../../core/cel/environment.ts'
import type { Evaluation, Program } from '../../../core/cel/program.ts'
import { settled } from '../../../core/cel/settled.ts'
import { dynType } from '../../../core/cel/types.ts'
import { toJson } from '../../../core/cel/values/json.ts'
import { Pauses } from '../../../core/common/slices.ts'
import type { Clock } from '../../../core/ports.ts'
import fc from '../../support/fast-check.ts'
import { trials } from '../../support/soak.ts'

/** A clock on which every slice is over at once. */
function hastyClock(): Clock & { readonly pauses: number } {
  let now = 0
  let pauses = 0
  return {
    now: () => now,
    monotonic: () => (now += 1000),
    after: () => () => {},
    async pause() {
      if (++pauses > 10_000) throw new Error('an evaluation that does not end')
    },
    get pauses() {
      return pauses
    },
  }
}

const variables = { list: [...Array(20).keys()], texts: ['a', 'bb', '', 'c'], map: { a: 1, b: 2, c: 'x' } }
const environment = createCelEnvironment({ variables: { list: dynType, texts: dynType, map: dynType } })

function programOf(expression: string): Program {
  const compiled = environment.compile(expression)
  assert.ok('program' in compiled, `${expression}: ${'issues' in compiled ? compiled.issues : ''}`)
  return compiled.program
}

const shown = ({ value, error, cost }: Evaluation) => ({ error, cost, value: error === undefined ? toJson(value) : undefined })

/** Evaluates with as many pauses as possible; also resolves to their number. */
async function inSlices(program: Program, costLimit: number): Promise<readonly [Evaluation, number]> {
  const clock = hastyClock()
  const slices = new Pauses(clock).slices(() => new AbortController().signal)
  const running = program.start(variables, { costLimit, slices })
  return [await settled(() => running.finish()), clock.pauses]
}

/** Nested loops: each part may contain loops, up to `depth` levels. */
function loops(depth: number): fc.Arbitrary<string> {
  const leaf = fc.constantFrom('list', 'list.filter(f, f % 2 == 0)', 'list + [1]', 'texts', 'map', '[]')
  const range: fc.Arbitrary<string> =
    depth === 0
      ? leaf
      : fc.oneof(
          leaf,
          loops(depth - 1).filter((each) => each.includes('.map(')),
        )
  const inner =
    depth === 0 ? fc.constantFrom('v == 3', 'true', 'v / 0 == 1', 'size(texts) > 1') : loops(depth - 1).map((each) => `dyn(${each}) != v`)
  const macros = fc.constantFrom(
    (r: string, i: string) => `${r}.all(v, ${i})`,
    (r: string, i: string) => `${r}.exists(v, ${i})`,
    (r: string, i: string) => `${r}.exists_one(v, ${i})`,
    (r: string, i: string) => `${r}.filter(v, ${i})`,
    (r: string, i: string) => `${r}.map(v, ${i})`,
    (r: string, i: string) => `${r}.map(v, ${i}, [v])`,
    (r: string, i: string) => `${r}.transformList(k, v, ${i}, [k, v])`,
    (r: string, i: string) => `${r}.transformMap(k, v, ${i})`,
    (r: string, i: string) => `(${r}.all(v, ${i}) || ${r}.exists(v, ${i}))`,
    (r: string, i: string) => `[${r}.map(v, ${i}), ${r}.filter(v, ${i})]`,
    (r: string, i: string) => `(${r}.exists(v, ${i}) ? ${r}.map(v, [v, v]) : [${r}.map(v, 1)])`,
  )
  return fc.tuple(range, inner, macros).map(([r, i, macro]) => macro(r, i))
}

// Each pause replays everything outside of loops: with larger cost limits a case would take minutes.
test('an evaluation with pauses has the same result and cost', async () => {
  let interruptions = 0
  const property = fc.asyncProperty(loops(2), fc.constantFrom(10_000, 2_000, 300), async (expression, costLimit) => {
    const compiled = environment.compile(expression)
    if ('issues' in compiled) return
    const { program } = compiled
    const [interrupted, pauses] = await inSlices(program, costLimit)
    interruptions += pauses
    assert.deepEqual(shown(interrupted), shown(program.evaluate(variables, { costLimit })), expression)
  })
  await fc.assert(property, { numRuns: trials(300, 5_000) })
  assert.ok(interruptions > 50, `${interruptions} interruptions`)
})

test('failed loops are not run again', async () => {
  const failing = 'list.transformList(k, v, dyn(list.exists_one(w, w / 0 == 1)) != v, [k, v])'
  const both = `list.all(v, dyn(${failing}) != v) || list.exists(v, dyn(${failing}) != v)`
  for (const expression of [both, `(${both}) || (${both})`]) {
    const program = programOf(expression)
    const [evaluation, pauses] = await inSlices(program, 10_000)
    assert.deepEqual(shown(evaluation), shown(program.evaluate(variables, { costLimit: 10_000 })))
    // The cost limit ends it after some 3,500 iterations; every 16th checks the clock.
    assert.ok(pauses < 300, `${pauses} interruptions`)
  }
})

test('loops resume where they paused', async () => {
  const [evaluation, pauses] = await inSlices(programOf('list.all(a, list.all(b, list.all(c, a + b + c >= 0)))'), 1_000_000)
  assert.equal(evaluation.value, true)
  // 8,420 iterations, of which every 16th checks the clock; each resume replays the iterations of outer loops.
  assert.ok(pauses > 400 && pauses < 700, `${pauses} interruptions`)
})

test('evaluations run one after the other, and stop with their request', async () => {
  const order: string[] = []
  const clock = hastyClock()
  const turns = new Pauses({
    ...clock,
    pause: async () => {
      await new Promise((resolve) => setImmediate(resolve))
      order.push('others')
    },
  })
  const ended = new AbortController()
  const program = programOf('list.all(a, list.all(b, true))')
  const run = (name: string, signal: AbortSignal) => {
    const running = program.start(variables, { slices: turns.slices(() => signal) })
    const turn = () => {
      order.push(name)
      return running.finish()
    }
    return Promise.resolve(settled(turn))
  }
  const [first, second] = [run('first', new AbortController().signal), run('second', ended.signal)]
  ended.abort(new Error('the client is gone'))
  await assert.rejects(second, /the client is gone/)
  assert.equal((await first).value, true)
  assert.deepEqual(order.slice(0, 6), ['first', 'second', 'others', 'first', 'others', 'others'])
})
