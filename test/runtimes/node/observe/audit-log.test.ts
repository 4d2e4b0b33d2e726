import assert from 'node:assert/strict'
import { readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { type AuditLogOptions, openAuditLog } from '../../../../runtimes/node/observe/audit-log.ts'
import { silentLogger } from '../../../support/logger.ts'
import { temporaryDirectory } from '../../../support/temporary.ts'

const day = 24 * 3_600_000
const began = Date.UTC(2026, 0, 2, 3, 4, 5, 6)
const line = (text: string, length = 100) => Buffer.from(`${text.padEnd(length - 1, '.')}\n`)

/** Opens a log in a new directory; `clock.time` is the time. */
async function setUp(options: Partial<AuditLogOptions> = {}) {
  const { path: directory, remove } = temporaryDirectory('audit-log')
  const path = join(directory, 'logs', 'audit.log')
  const clock = { time: began, now: () => clock.time }
  const open = () =>
    openAuditLog({ path, maxSize: 250, maxBackups: 0, maxAge: 0, compress: false, clock, logger: silentLogger, ...options })
  const names = () => readdirSync(join(directory, 'logs')).sort()
  const read = (name: string) => readFileSync(join(directory, 'logs', name))
  return { clock, path, open, names, read, remove, directory: join(directory, 'logs') }
}

test('lines are appended, in a file that only the owner can read', async () => {
  const { open, path, remove } = await setUp({ maxSize: 0 })
  for (const text of ['a', 'b']) {
    const log = await open()
    await Promise.all([log.write(line(`${text}1`)), log.write(line(`${text}2`))])
    await log.close()
  }
  assert.deepEqual(
    readFileSync(path, 'utf8')
      .split('\n')
      .map((each) => each.slice(0, 2)),
    ['a1', 'a2', 'b1', 'b2', ''],
  )
  assert.equal(statSync(path).mode & 0o777, 0o600)
  remove()
})

test('a directory that can not be created is an error, not a search without end', async () => {
  const { open, remove } = await setUp({ path: '/proc/none/audit.log' })
  await assert.rejects(open(), { code: 'ENOENT' })
  remove()
})

test('a file is rotated before it gets too large, and lines are not split', async () => {
  const { open, names, read, clock, remove } = await setUp()
  const log = await open()
  for (let index = 0; index < 5; index++) {
    clock.time += 1_000
    await log.write(line(String(index)))
  }
  await log.close()
  assert.deepEqual(names(), ['audit-2026-01-02T03-04-08.006.log', 'audit-2026-01-02T03-04-10.006.log', 'audit.log'])
  assert.deepEqual(
    names().map((name) =>
      read(name)
        .toString()
        .split('\n')
        .map((each) => each[0]),
    ),
    [
      ['0', '1', undefined],
      ['2', '3', undefined],
      ['4', undefined],
    ],
  )
  remove()
})

test('lines that wait are written together, as many as fit', async () => {
  const { open, names, read, remove } = await setUp()
  const log = await open()
  await Promise.all(Array.from({ length: 7 }, (_, index) => log.write(line(String(index)))))
  await log.close()
  assert.equal(
    names()
      .map((name) => read(name).toString())
      .join('').length,
    700,
  )
  for (const name of names()) assert(read(name).length <= 250, name)
  remove()
})

test('a file that was too large before is rotated, a line that is larger than a file is kept', async () => {
  const { open, names, read, path, remove } = await setUp()
  await (await open()).close()
  writeFileSync(path, line('old', 300))
  const log = await open()
  await log.write(line('large', 400))
  await log.close()
  assert.deepEqual(
    names().map((name) => read(name).length),
    [300, 400],
  )
  remove()
})

test('size 0: one file', async () => {
  const { open, names, remove } = await setUp({ maxSize: 0 })
  const log = await open()
  for (let index = 0; index < 5; index++) await log.write(line(String(index)))
  await log.close()
  assert.deepEqual(names(), ['audit.log'])
  remove()
})

test('old files are removed by number and by age; other files stay', async () => {
  const stamp = (time: number) => new Date(time).toISOString().slice(0, -1).replaceAll(':', '-')
  const { open, names, directory, remove } = await setUp({ maxBackups: 2, maxAge: 3 * day })
  await (await open()).close()
  const put = (name: string) => writeFileSync(join(directory, name), 'x')
  for (const age of [1, 2, 4]) put(`audit-${stamp(began - age * day)}.log`)
  put(`audit-${stamp(began - 2.5 * day)}.log.gz`)
  for (const other of ['audit-backup.log', `other-${stamp(began - 9 * day)}.log`]) put(other)
  await (await open()).close()
  assert.deepEqual(
    names(),
    [
      'audit-backup.log',
      'audit.log',
      `audit-${stamp(began - day)}.log`,
      `audit-${stamp(began - 2 * day)}.log`,
      `other-${stamp(began - 9 * day)}.log`,
    ].sort(),
  )
  remove()
})

test('rotated files are compressed', async () => {
  const { open, names, read, remove } = await setUp({ compress: true, maxSize: 100 })
  const log = await open()
  await log.write(line('a'))
  await log.write(line('b'))
  await log.close()
  assert.deepEqual(names(), ['audit-2026-01-02T03-04-05.006.log.gz', 'audit.log'])
  assert.deepEqual(gunzipSync(read(names()[0] as string)), line('a'))
  remove()
})

test('a write that fails is told', async () => {
  const { open, remove } = await setUp({ path: '/dev/full', maxSize: 0 })
  const log = await open()
  for (const text of ['a', 'b']) await assert.rejects(log.write(line(text)), /^Error: write \/dev\/full: no space left on device/)
  await log.close()
  remove()
})

test('a file or directory that others move or remove is made again at the next rotation', async () => {
  for (const [what, remove] of [
    ['moved', (path: string) => renameSync(path, `${path}.moved`)],
    ['removed', (path: string) => rmSync(path)],
    ['removed with its directory', (_path: string, directory: string) => rmSync(directory, { recursive: true })],
  ] as const) {
    const { open, path, directory, read, remove: end } = await setUp()
    const log = await open()
    await log.write(line('1'))
    remove(path, directory)
    for (const text of ['2', '3', '4']) await log.write(line(text)).catch((error: unknown) => assert.fail(`${what}: ${error}`))
    await log.close()
    assert.deepEqual(read('audit.log').toString(), `${line('3')}${line('4')}`, what)
    end()
  }
})

test('a path that can not be opened', async () => {
  const { open, remove } = await setUp({ path: '/dev/null/audit.log' })
  await assert.rejects(open(), /ENOTDIR|EEXIST/)
  remove()
})
