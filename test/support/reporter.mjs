/**
 * Output of a test run: failures as they happen; and for run.mjs, in lines of JSON, counts while the run lasts (`progress`), and totals with
 * the failures and the skipped tests.
 */
import { inspect } from 'node:util'
import { original } from './original.mjs'
import { cellOf } from './runtime-table.mjs'

/** Milliseconds between lines with counts. */
const interval = 1000

const indent = (text) => text.replaceAll(/^/gm, '      ')
const isFile = (name) => /\.test\.[jt]s$/.test(name)

function explain({ error }) {
  const cause = error?.cause ?? error
  const lines = String(cause?.stack ?? (typeof cause === 'object' ? inspect(cause) : cause)).split('\n')
  return lines
    .filter((line) => !/^\s+at .*(node:internal|node_modules)/.test(line))
    .slice(0, 40)
    .join('\n')
}

export default async function* report(source) {
  const skipped = new Map()
  const failures = []
  const path = []
  const cells = []
  const durations = []
  let passed = 0
  let failed = 0
  let files = 0
  let told = 0
  for await (const { type, data } of source) {
    if (type === 'test:start') path[data.nesting] = data.name
    if (type === 'test:stderr' || type === 'test:stdout') yield original(data.message)
    if (type !== 'test:pass' && type !== 'test:fail') continue
    const suite = data.details?.type === 'suite'
    if (suite && isFile(data.name)) files++
    if (performance.now() - told > interval) {
      yield `${JSON.stringify({ progress: { passed, failed, files } })}\n`
      told = performance.now()
    }
    const cell = suite ? undefined : cellOf(path.find((each) => each && !isFile(each)) ?? '', data.name)
    // A known gap of the runtime: expected to fail, but not in every run.
    const gap = typeof data.todo === 'string' ? data.todo : undefined
    if (cell && data.skip === undefined) cells.push({ ...cell, passed: type === 'test:pass' && !gap, ...(gap && { gap }) })
    if (gap) continue
    if (!suite && !isFile(data.name)) durations.push({ name: data.name, milliseconds: data.details?.duration_ms ?? 0 })
    const failedInside = /^\d+ subtests? failed$/.test(data.details?.error?.message ?? '')
    if (data.skip !== undefined) {
      const reason = typeof data.skip === 'string' ? data.skip : 'no reason given'
      skipped.set(reason, [
        ...(skipped.get(reason) ?? []),
        [...path.slice(0, data.nesting).filter((each) => !isFile(each)), data.name].join(' > '),
      ])
    } else if (type === 'test:pass') {
      if (!suite && !isFile(data.name)) passed++
    } else if (!failedInside) {
      failed++
      const name = [...path.slice(0, data.nesting).filter((each) => !isFile(each)), data.name].join(' > ')
      const place = data.file === undefined ? '' : original(`${data.file}:${data.line}:${data.column}`)
      // Its suite failed, or its file had nothing left to wait for.
      const why = data.details?.error?.failureType === 'cancelledByParent' ? 'was cancelled: see its suite or file' : explain(data.details)
      const failure = `not ok: ${name}\n      ${place}\n${indent(original(why))}`
      failures.push(failure)
      yield `${failure}\n`
    }
  }
  const slowest = durations.toSorted((a, b) => b.milliseconds - a.milliseconds).slice(0, 40)
  yield `${JSON.stringify({ passed, failed, files, failures, skipped: [...skipped], cells, slowest })}\n`
}
