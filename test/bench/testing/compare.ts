/** The shortest durations of a test's steps, by the clock on the wall: a server in the process beside one that envtest starts. */
import { configMap, perSample, type Subject, samples } from './subject.ts'

/** Milliseconds of one step, for each subject. */
export interface Step {
  readonly name: string
  readonly milliseconds: readonly number[]
}

/** Many short rounds, so that some of them meet no other load on the machine. */
const rounds = 20
const perRound = 50

/** The least of all rounds, after one that is not counted. */
async function inRounds(work: () => Promise<number>): Promise<number> {
  await work()
  let least = Number.POSITIVE_INFINITY
  for (let round = 0; round < rounds; round++) least = Math.min(least, await work())
  return least
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now()
  await work()
  return performance.now() - began
}

const names = Array.from({ length: perSample }, (_, at) => `object-${at}`)

async function writeAll(subject: Subject): Promise<void> {
  for (const sample of samples) for (const name of names) await subject.create(sample, name)
}

async function stepsOf(subject: Subject): Promise<number[]> {
  const calls = (call: (at: number) => Promise<void>) =>
    inRounds(async () => {
      const milliseconds = await timed(async () => {
        for (let at = 0; at < perRound; at++) await call(at)
      })
      await subject.reset()
      await subject.create(configMap, 'one')
      return milliseconds / perRound
    })
  const created = await calls((at) => subject.create(configMap, `map-${at}`))
  const read = await calls(() => subject.get(configMap, 'one'))
  await subject.reset()
  const clean = await inRounds(async () => {
    await writeAll(subject)
    return timed(() => subject.reset())
  })
  const whole = await inRounds(() =>
    timed(async () => {
      await writeAll(subject)
      for (const sample of samples) for (const name of names) await subject.get(sample, name)
      await subject.reset()
    }),
  )
  return [subject.ready.first, subject.ready.second, clean, created, read, whole]
}

const written = perSample * samples.length
const stepNames = [
  'first server, ready',
  'another server, ready',
  `state for the next test`,
  'create a config map',
  'get a config map',
  `a test with ${written} objects`,
]

/** Measures one subject after the other. */
export async function compared(subjects: readonly Subject[]): Promise<Step[]> {
  const columns: number[][] = []
  for (const subject of subjects) columns.push(await stepsOf(subject))
  return stepNames.map((name, at) => ({ name, milliseconds: columns.map((column) => column[at] ?? Number.NaN) }))
}
