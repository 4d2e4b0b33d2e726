/** Sends scenes to two servers, or to one whose answers are compared with recorded ones. */
import { createHash } from 'node:crypto'
import { sleep } from '../support/wait.ts'
import { type Accepted, acceptedDifferences } from './accepted.ts'
import { classOf, type Difference, differences } from './difference.ts'
import type { Answer, Call, Part, Scene } from './exchange.ts'
import { type Normal, normalOf } from './normal.ts'
import type { Target } from './target.ts'

/** Scenes in flight. */
const sideBySide = 48

/** One compared request. */
export interface Outcome {
  readonly id: string
  readonly part: Part
  readonly scene: Scene
  readonly call: Call
  readonly reference: Normal
  readonly ours: Normal
  readonly verdict: 'same' | 'accepted' | 'differs'
  /** Rows of the table of accepted differences that this request needs. */
  readonly accepted: readonly Accepted[]
  readonly differences: readonly Difference[]
  /** Class of the differences; '' when there are none. */
  readonly class: string
}

/** Answers to a scene: from a server, or recorded. */
export interface Side {
  /** Undefined: no answers to this scene are known. */
  answers(scene: Scene, ids: readonly string[]): Promise<readonly Normal[] | undefined>
  /** Sends requests in order that are not compared, then reads the collections whose objects are told by name. */
  prepare(calls: Iterable<Call>, named?: readonly string[]): Promise<void>
}

/** Settings of the run that requests mention, and what is sent in place of them: `{{hooks}}`. */
export type Settings = { readonly [name: string]: string }

/** A side with the answers of the first side that knows them. */
export function firstOf(...sides: readonly (Side | undefined)[]): Side {
  const given = sides.filter((side) => side !== undefined)
  return {
    async answers(scene, ids) {
      for (const side of given) {
        const found = await side.answers(scene, ids)
        if (found !== undefined) return found
      }
      return undefined
    },
    async prepare(calls, named) {
      const all = [...calls]
      for (const side of given) await side.prepare(all, named)
    },
  }
}

/** A server as a side. */
export function serverSide(target: Target, settings: Settings): Side {
  const { host } = new URL(target.url)
  const fixed: [string, string][] = [
    [host, '<server>'],
    // The digits of a port may stand in a uid, too.
    ...Object.entries(settings).map(([name, value]): [string, string] =>
      /^\d+$/.test(value) ? [`:${value}`, `:{{${name}}}`] : [value, `{{${name}}}`],
    ),
  ]
  const own = [...fixed]
  const perform = async (calls: Iterable<Call>) => {
    const answers: Answer[] = []
    for (const call of calls) answers.push(await sent(target, filled(call, answers, settings)))
    return answers
  }
  return {
    answers: async ({ calls }) => (await perform(calls)).map((answer) => normalOf(answer, own)),
    prepare: async (calls, named = []) => {
      await perform(calls)
      own.splice(fixed.length)
      for (const path of named) own.push(...names(path, await target.send({ method: 'GET', path })))
    },
  }
}

/** The uids in a list of objects, and what stands for them. */
function names(path: string, { body }: Answer): [string, string][] {
  const { items } = JSON.parse(body.toString()) as { items: { metadata: { uid: string; name: string } }[] }
  return items.map(({ metadata: { uid, name } }) => [uid, `${path.slice(path.lastIndexOf('/') + 1)}/${name}`])
}

/** Milliseconds for which a request with `until` is repeated, and between two of them. */
const maxWait = 30_000
const pause = 100

async function sent(target: Target, call: Call): Promise<Answer> {
  if (call.until === undefined) return target.send(call)
  const began = performance.now()
  for (;;) {
    const { status } = await target.send(call)
    if (status === call.until || performance.now() - began > maxWait) return { status, headers: [], body: Buffer.from('') }
    await sleep(pause)
  }
}

/** The call with values in place of `{{…}}`. */
function filled(call: Call, answers: readonly Answer[], settings: Settings): Call {
  if (!`${call.path}${call.body ?? ''}${call.token ?? ''}`.includes('{{')) return call
  const fill = (text: string) =>
    text.replaceAll(/\{\{([\w.-]+)\}\}/g, (found, name: string) => settings[name] ?? valueAt(answers, name.split('.')) ?? found)
  return {
    ...call,
    path: fill(call.path),
    ...(call.body !== undefined && { body: fill(call.body) }),
    ...(call.token !== undefined && { token: fill(call.token) }),
  }
}

function valueAt(answers: readonly Answer[], [step = '', ...path]: readonly string[]): string | undefined {
  const answer = answers[Number(step)]
  if (answer === undefined) return undefined
  try {
    let value: unknown = JSON.parse(answer.body.toString())
    for (const name of path) value = (value as { [name: string]: unknown } | null)?.[name]
    return value === undefined ? undefined : String(value)
  } catch {
    return undefined
  }
}

/** Ids of a scene's requests: the same as long as the requests are. */
export const idsOf = ({ kind, at, calls }: Scene): string[] =>
  calls.map(({ method, path, headers = {}, body = '', token = '' }, step) =>
    createHash('sha256')
      .update(JSON.stringify([kind, at, step, method, path, headers, body, token]))
      .digest('base64url')
      .slice(0, 10),
  )

/** Maximum number of places in one answer. */
const limit = 20_000

/** A number in [0, 1) of the scene. */
const shareOf = ({ kind, at }: Scene) => createHash('sha256').update(`${kind} ${at}`).digest().readUInt32BE(0) / 2 ** 32

export interface Selection {
  /** Part of the kind's title. */
  readonly kind?: string | undefined
  /** Part of `at`. */
  readonly at?: string | undefined
  /** Otherwise only the bounded part. */
  readonly whole: boolean
  readonly seed: number
  readonly id?: string | undefined
}

/** Share of the scenes of a bounded run. */
const boundedShare = 0.06

/** Whether the scene belongs to bounded runs. */
export const isBounded = (part: Part, scene: Scene): boolean => !part.slow && (part.small === true || shareOf(scene) < boundedShare)

const isSelected = (part: Part, scene: Scene, { kind, at, whole, id }: Selection) =>
  (kind === undefined || scene.kind.includes(kind)) &&
  (at === undefined || scene.at.includes(at)) &&
  (whole || isBounded(part, scene)) &&
  (id === undefined || idsOf(scene).includes(id))

/** What was not compared. */
export interface Omitted {
  /** Scenes without known answers. */
  readonly unknown: number
  /** Requests of scenes that the selection leaves out. */
  readonly unselected: number
}

/** Compares a part; outcomes are reported in the order of the requests. */
export async function comparePart(
  part: Part,
  reference: Side,
  ours: Side,
  selection: Selection,
  report: (outcome: Outcome) => void,
): Promise<Omitted> {
  const sides = [reference, ours]
  const before = [...(part.before?.() ?? [])]
  await Promise.all(sides.map((side) => side.prepare(before, part.named)))
  const omitted = { unknown: 0, unselected: 0 }
  const waiting = new Map<number, readonly Outcome[]>()
  let reported = 0
  const finish = (index: number, outcomes: readonly Outcome[]) => {
    waiting.set(index, outcomes)
    for (let next = waiting.get(reported); next !== undefined; next = waiting.get(reported)) {
      waiting.delete(reported++)
      for (const outcome of next) report(outcome)
    }
  }
  const scenes = selected(part, selection, omitted)
  const work = async () => {
    for (let next = scenes.next(); !next.done; next = scenes.next()) {
      const [index, scene] = next.value
      const ids = idsOf(scene)
      const known = await Promise.all([reference.answers(scene, ids), ours.answers(scene, ids)])
      const [left, right] = known
      if (left === undefined || right === undefined) {
        omitted.unknown++
        finish(index, [])
      } else {
        finish(
          index,
          scene.calls.map((call, step) => outcomeOf(part, scene, call, ids[step]!, left[step]!, right[step]!)),
        )
      }
    }
  }
  await Promise.all(Array.from({ length: part.inOrder ? 1 : sideBySide }, work))
  const after = [...(part.after?.() ?? [])]
  await Promise.all(sides.map((side) => side.prepare(after)))
  return omitted
}

function* selected(part: Part, selection: Selection, omitted: { unselected: number }): Generator<[number, Scene]> {
  let index = 0
  for (const scene of part.scenes(selection.seed))
    if (isSelected(part, scene, selection)) yield [index++, scene]
    else omitted.unselected += scene.calls.length
}

const same = (one: Normal, other: Normal) => JSON.stringify(one) === JSON.stringify(other)

function outcomeOf(part: Part, scene: Scene, call: Call, id: string, reference: Normal, ours: Normal): Outcome {
  const base = { id, part, scene, call, reference, ours, accepted: [], differences: [], class: '' }
  if (same(reference, ours)) return { ...base, verdict: 'same' }
  let [left, right] = [reference, ours]
  const accepted: Accepted[] = []
  for (const row of acceptedDifferences) {
    if (!row.applies({ part: part.name, kind: scene.kind, call })) continue
    const cleared = [row.clear(left), row.clear(right)] as const
    // A row is needed when it removes a difference.
    if (!same(left, right) && differences(cleared[0], cleared[1], limit).length < differences(left, right, limit).length) accepted.push(row)
    ;[left, right] = cleared
  }
  if (same(left, right)) return { ...base, accepted, verdict: 'accepted' }
  const found = differences(left, right, limit)
  return { ...base, accepted, verdict: 'differs', differences: found, class: classOf(left, right, found) }
}
