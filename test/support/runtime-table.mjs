/** The table of suites and runtimes, for the end of a run and for README. */
import { readFileSync, writeFileSync } from 'node:fs'

/** Node 24 runs the same suites as Node and has no own column. */
const runtimes = ['Node', 'Bun', 'Deno', 'workerd', 'DurableObject']
const suites = [
  'HTTP',
  'HTTP in-process',
  'watch',
  'watch in-process',
  'custom resources',
  'custom resources in-process',
  'store',
  'test harness',
  'features',
]
const readme = new URL('../../README.md', import.meta.url)
const [begin, end] = ['<!-- runtimes: made by node test/run.mjs --write-table -->', '<!-- end of runtimes -->']

/** Cell of a test, by the title of its top-level suite. */
export function cellOf(top, title) {
  const [, suite, runtime] = (top.startsWith('durable store') ? 'store on Node' : top).match(/^(.+) on (\w+)(?:: .*)?$/) ?? []
  return suites.includes(suite) && runtimes.includes(runtime) ? { suite, runtime, title } : undefined
}

const markdown = (rows) => rows.map((row) => `| ${row.join(' | ')} |`).join('\n')
const of = (cells, suite, runtime) => cells.filter((cell) => cell.suite === suite && cell.runtime === runtime)

/** Runtime × suite: passed and total tests, and named gaps. */
export function runtimeTable(cells) {
  const text = (suite, runtime) => {
    const own = of(cells, suite, runtime)
    const gaps = own.filter(({ gap }) => gap).length
    if (own.length === 0) return ''
    return `${own.filter(({ passed }) => passed).length}/${own.length - gaps}${gaps > 0 ? `, ${gaps} gaps` : ''}`
  }
  const present = suites.filter((suite) => cells.some((cell) => cell.suite === suite))
  return markdown([
    ['', ...runtimes],
    ['---', ...runtimes.map(() => '---')],
    ...present.map((suite) => [suite, ...runtimes.map((runtime) => text(suite, runtime))]),
  ])
}

/** README's table: features, then suites, each with its gaps as notes. Undefined unless everything ran and passed. */
function readmeTable(cells) {
  const expected = suites.flatMap((suite) => ['Node', 'Bun', 'Deno'].map((runtime) => [suite, runtime]))
  const here = expected.filter(([suite]) => !suite.endsWith('in-process'))
  if (here.some(([suite, runtime]) => of(cells, suite, runtime).length === 0)) return undefined
  if (of(cells, 'HTTP in-process', 'workerd').length === 0 || cells.some(({ passed, gap }) => !passed && !gap)) return undefined
  const notes = []
  const noted = (gap) => {
    if (!notes.includes(gap)) notes.push(gap)
    return notes.indexOf(gap) + 1
  }
  const verdict = (own) => {
    if (own.length === 0) return ''
    const gaps = own.filter(({ gap }) => gap)
    const numbers = gaps.map(({ title, gap }) => `(${noted(`the test "${title}": ${gap}`)})`).join(' ')
    if (gaps.length === 0) return 'yes'
    return gaps.length === own.length ? `no ${numbers}` : `yes, except ${numbers}`
  }
  const features = [...new Set(cells.filter(({ suite }) => suite === 'features').map(({ title }) => title))]
  const rows = [
    ...features.map((title) => [
      title,
      ...runtimes.map((runtime) => verdict(of(cells, 'features', runtime).filter((cell) => cell.title === title))),
    ]),
    ...suites
      .filter((suite) => suite !== 'features')
      .map((suite) => [`${suite} suite`, ...runtimes.map((runtime) => verdict(of(cells, suite, runtime)))]),
  ]
  return [
    markdown([['', ...runtimes], ['---', ...runtimes.map(() => '---')], ...rows]),
    ...notes.map((note, at) => `(${at + 1}) ${note}`),
  ].join('\n\n')
}

/** Writes the table into README, or prints what to do if README is out of date. Does nothing after a partial run. */
export function updateReadme(cells, write) {
  const table = readmeTable(cells)
  if (table === undefined) return undefined
  const text = readFileSync(readme, 'utf8')
  const [from, to] = [text.indexOf(begin), text.indexOf(end)]
  if (from === -1 || to === -1) return `README.md has no place for the table of runtimes: ${begin}`
  const next = `${text.slice(0, from + begin.length)}\n${table}\n${text.slice(to)}`
  if (next === text) return undefined
  if (!write) return "README's table of runtimes is out of date: node test/run.mjs --write-table conformance stores harness runners"
  writeFileSync(readme, next)
  return undefined
}
