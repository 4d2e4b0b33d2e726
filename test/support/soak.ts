/** True in soak runs (`npm run test:soak`). */
export const soak = process.env['APISERVER_SOAK'] === '1'

/** Number of trials: `few` by default, `many` in soak runs. */
export const trials = (few: number, many: number) => (soak ? many : few)

/** Minimum milliseconds between two lines of progress. */
const pace = 15_000

/**
 * Reports the progress of a soak run on stderr, because diagnostics of a test are printed at its end. Call the result
 * after each trial; it prints now and then, and nothing in other runs. `all`: total number of trials; `more`: additional
 * text.
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
