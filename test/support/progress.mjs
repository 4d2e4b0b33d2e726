/** Lines about a test run while it lasts, and about skipped tests at its end. */

/** Milliseconds between lines. */
const interval = 10_000
/** Maximum names of skipped tests per reason. */
const maxNames = 20

/**
 * Adds up the counts of several reporters, and prints the sum every ten seconds if it has changed. `files`: number of test files of the run.
 * `update` takes the latest counts of one reporter, under any name; `stop` ends the lines.
 */
export function createProgress(files, print = console.log) {
  const counts = new Map()
  const began = performance.now()
  let last = ''
  const timer = setInterval(() => {
    const sum = (field) => [...counts.values()].reduce((total, each) => total + each[field], 0)
    const line = `${sum('files')} of ${files} files done: ${sum('passed')} passed, ${sum('failed')} failed so far`
    if (line !== last) print(`${String(Math.round((performance.now() - began) / 1000)).padStart(5)} s: ${line}`)
    last = line
  }, interval)
  timer.unref()
  return { update: (name, now) => void counts.set(name, now), stop: () => clearInterval(timer) }
}

/** Lines with the names of skipped tests by reason; `skipped` is a list of pairs of reason and names. */
export function skippedLines(skipped) {
  const byReason = new Map()
  for (const [reason, names] of skipped) byReason.set(reason, [...(byReason.get(reason) ?? []), ...names])
  return [...byReason].flatMap(([reason, names]) => [
    `skipped ${names.length}: ${reason}`,
    ...names.slice(0, maxNames).map((name) => `      ${name}`),
    ...(names.length > maxNames ? [`      and ${names.length - maxNames} more`] : []),
  ])
}
