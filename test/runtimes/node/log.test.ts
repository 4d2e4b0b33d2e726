/** Log lines, which files and verbosities are wanted, and what the log directory shows. */
import assert from 'node:assert/strict'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { logFilesBelow } from '../../../runtimes/node/log/files.ts'
import { jsonFormat, type Message, textFormat } from '../../../runtimes/node/log/formats.ts'
import { createLog } from '../../../runtimes/node/log/logger.ts'
import { parsePatterns, Verbosity } from '../../../runtimes/node/log/verbosity.ts'
import { rootUrl } from '../../support/root.ts'
import { temporaryDirectory } from '../../support/temporary.ts'

const { placeLogCalls } = (await import(`${rootUrl}runtimes/log-callers.mjs`)) as typeof import('../../../runtimes/log-callers.mjs')

const time = new Date(2026, 10, 24, 20, 13, 10, 123).getTime()
const message = (more: Partial<Message>): Message => ({
  severity: 'info',
  time,
  caller: 'filters/recover.ts:46',
  verbosity: 0,
  fields: {},
  text: 'plain text',
  ...more,
})
const head = '1124 20:13:10.123000   12345 recover.ts:46] '
const texts: readonly (readonly [Partial<Message>, string])[] = [
  [{}, `I${head}plain text`],
  [{ severity: 'warning', text: 'a "b"' }, `W${head}a "b"`],
  [
    { severity: 'error', fields: { key: 'value', count: 3, yes: true, none: null } },
    `E${head}"plain text" key="value" count=3 yes=true none=null`,
  ],
  [{ fields: { absent: undefined } }, `I${head}plain text`],
  [{ text: 'a "b"', fields: { list: ['x', 1] } }, `I${head}"a \\"b\\"" list=["x",1]`],
  [{ fields: { text: 'one\ntwo' } }, `I${head}"plain text" text=<\n\tone\n\ttwo\n >`],
  [{ fields: { text: '\x1b[31m\r\u202e\u{e0001}é' } }, `I${head}"plain text" text="\\x1b[31m\\r\\u202e\\U000e0001é"`],
  [{ fields: { text: '\x1b\n\x07' } }, `I${head}"plain text" text=<\n\t\\x1b\n\t\\a\n >`],
  [{ text: '\x1b[31m' }, `I${head}\\x1b[31m`],
  [{ fields: { err: new Error('broken') } }, `I${head}"plain text" err="broken"`],
]

for (const [given, line] of texts)
  test(`a line of text: ${JSON.stringify(given)}`, () => assert.equal(textFormat(12_345)(message(given)), `${line}\n`))

test('an error of this program is logged with its stack', () => {
  const line = textFormat(1)(message({ severity: 'error', fields: { err: new Error('broken') } }))
  assert.match(line, /err=<\n\tError: broken\n\t {4}at [\s\S]*log\.test\.[jt]s[\s\S]*\n >\n$/)
})

test('lines of JSON', () => {
  const parsed = (more: Partial<Message>) => {
    const line = jsonFormat()(message(more))
    assert.equal(line.indexOf('\n'), line.length - 1)
    return JSON.parse(line)
  }
  const own = { level: 'info', ts: time, caller: 'filters/recover.ts:46', msg: 'plain text', v: 0 }
  assert.deepEqual(parsed({ fields: { key: 'two\nlines', ts: 'its own', __proto__: 'x' } }), { ...own, key: 'two\nlines' })
  assert.deepEqual(parsed({ severity: 'error', fields: { err: 'x' } }), {
    level: 'error',
    ts: time,
    caller: own.caller,
    msg: own.msg,
    err: 'x',
  })
  assert.deepEqual(parsed({ verbosity: 4 }), { ...own, v: 4 })
})

test('verbosity of all files, of some, and changed while running', () => {
  const lines: string[] = []
  const verbosity = new Verbosity(2, parsePatterns('rec*=4,aut?=5,[a-b]x=3,[b-a]x=9'))
  const log = createLog({
    format: ({ caller, text }) => `${caller} ${text}`,
    output: { write: (line) => lines.push(line), flush: () => {} },
    verbosity,
    now: () => 0,
  })
  const wanted = (file: string) => [...Array(8).keys()].filter((level) => log.at(`a/${file}.ts:1`).v(level)).length - 1
  assert.deepEqual(['recover', 'record-x', 'auth', 'auths', 'ax', 'cx'].map(wanted), [4, 4, 5, 2, 3, 2])
  log.at('a/recover.ts:7').debug({}, 'shown')
  log.at('a/other.ts:7').debug({}, 'hidden')
  verbosity.level = 4
  log.at('a/other.ts:7').debug({}, 'shown now')
  verbosity.level = 0
  log.at('a/other.ts:7').debug({}, 'hidden again')
  log.info({}, 'from here')
  assert.deepEqual(lines.slice(0, 2), ['a/recover.ts:7 shown', 'a/other.ts:7 shown now'])
  assert.match(lines[2] ?? '', /^node\/log\.test\.[jt]s:\d+ from here$/)
  assert.equal(lines.length, 3)
})

test('the build writes the place of each log call into it', () => {
  const source = "\nthis.#logger?.debug({}, 'x')\nif (logger.v?.(3)) telemetry.logger.info(\n{}, 'y')\nlogger.child('z')\n"
  assert.equal(
    placeLogCalls(source, '/home/core/audit/losses.ts'),
    '\nthis.#logger?.at("audit/losses.ts:2").debug({}, \'x\')\n' +
      'if (logger.at("audit/losses.ts:3").v?.(3)) telemetry.logger.at("audit/losses.ts:3").info(\n' +
      "{}, 'y')\nlogger.child('z')\n",
  )
  assert.equal(placeLogCalls(source, '/home/node_modules/x/index.js'), source)
})

test('the log directory shows files below it only', async (t) => {
  const { path, remove } = temporaryDirectory('logs')
  t.after(remove)
  const root = join(path, 'log')
  mkdirSync(join(root, 'pods'), { recursive: true })
  writeFileSync(join(path, 'secret'), 'secret')
  writeFileSync(join(root, 'pods/web.log'), 'one\ntwo\n')
  writeFileSync(join(root, 'binary'), new Uint8Array([1, 0, 2]))
  symlinkSync(join(path, 'secret'), join(root, 'outside'))
  symlinkSync('../..', join(root, 'pods/up'))
  symlinkSync('pods/web.log', join(root, 'inside'))
  const files = logFilesBelow(root)
  const found = await files.find([])
  assert.deepEqual(found && 'names' in found && found.names, ['binary', 'inside', 'outside', 'pods/'])
  for (const name of [['pods', 'web.log'], ['inside']]) {
    const file = await files.find(name)
    assert.ok(file && 'read' in file)
    assert.equal(await file.isText(), true)
    assert.equal(await new Response(file.read(2, 4)).text(), 'e\nt')
  }
  const binary = await files.find(['binary'])
  assert.equal(binary && 'read' in binary && (await binary.isText()), false)
  const outside = [
    ['..', 'secret'],
    ['outside'],
    ['pods', 'up', 'secret'],
    ['pods', 'up'],
    ['../secret'],
    ['pods/../../secret'],
    ['pods\0'],
    [''],
  ]
  for (const name of [...outside, ['none'], ['binary', 'x'], ['x'.repeat(5000)]])
    assert.equal(await files.find(name), undefined, String(name))
})
