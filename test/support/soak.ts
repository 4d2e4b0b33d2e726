/** Whether this is the long run: `npm run test:soak`. */
export const soak = process.env['APISERVER_SOAK'] === '1'

/** How often something is tried: a few times by default, many times in the long run. */
export const trials = (few: number, many: number) => (soak ? many : few)

/** Milliseconds between two lines of progress. */
const pace = 15_000

/**
 * Says how far a long run is, on stderr, since diagnostics of a test appear when it ends. Call it after each trial; it writes now and then,
 * and nothing in a short run. `all`: how many trials there will be; `more`: what else to say.
 */
export function progress(what: string, all: number): (done: number, more?: () => string) => void {
  const began = performance.now()
  let said = began
  return (done, more) => {
    const now = performance.now()
    if (!soak || (now - said < pace && done < all)) return
    said = now
    process.stderr.write(`${what}: ${done} of ${all} in ${Math.round((now - began) / 1000)} s${more ? `, ${more()}` : ''}\n`)
  }
}
