/** Open-loop pacing: work begins at its time, whether or not earlier work has ended. */

/** Milliseconds between looks at the clock. */
const tick = 5

/** Calls `work` this often per second, evenly, until the returned function is called. The argument counts the calls from 0. */
export function atRate(perSecond: number, work: (index: number) => void): () => void {
  const began = performance.now()
  let done = 0
  const timer = setInterval(() => {
    const due = Math.floor(((performance.now() - began) * perSecond) / 1000)
    while (done < due) work(done++)
  }, tick)
  return () => clearInterval(timer)
}

/** Calls `work` for 0 to `count` - 1, with this many calls at a time. */
export async function inParallel(count: number, width: number, work: (index: number) => Promise<unknown>): Promise<void> {
  let next = 0
  const run = async () => {
    while (next < count) await work(next++)
  }
  await Promise.all(Array.from({ length: Math.min(width, count) }, run))
}
