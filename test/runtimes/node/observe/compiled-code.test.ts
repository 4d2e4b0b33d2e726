import assert from 'node:assert/strict'
import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { evaluateProgram } from '../../../../runtimes/node/observe/compiled-code.ts'
import { bundle, ownEtcd, startDaemon } from '../../../support/daemon.ts'
import { startEtcd } from '../../../support/etcd.ts'
import { temporaryDirectory } from '../../../support/temporary.ts'

const digestOf = (letter: string) => letter.repeat(64)

describe('the cache of compiled code', () => {
  let directory: string
  let remove: () => void
  const environment = { ...process.env }

  beforeEach(() => {
    ;({ path: directory, remove } = temporaryDirectory())
    process.env['APISERVER_COMPILE_CACHE'] = join(directory, 'cache')
    writeFileSync(join(directory, 'program.js'), '(function (left, right) { return left + right })')
  })
  afterEach(() => {
    process.env = { ...environment }
    remove()
  })

  const kept = () => {
    const cache = process.env['APISERVER_COMPILE_CACHE'] ?? ''
    return existsSync(cache) ? readdirSync(cache).map((name) => join(cache, name)) : []
  }
  /** Evaluates the program and checks its result; returns true if the code came from the cache, in which case it is not written again. */
  function start(letter = 'a'): boolean {
    const { value, keep } = evaluateProgram(directory, 'program.js', digestOf(letter))
    assert.equal((value as (left: number, right: number) => number)(20, 22), 42)
    const before = kept()
    for (const path of before) rmSync(path)
    keep()
    return before.length > 0 && kept().length === 0
  }
  /** Starts once; returns the only file in the cache. */
  function keepOne(): string {
    assert.equal(start(), false)
    const [path = '', ...others] = kept()
    assert.deepEqual(others, [])
    return path
  }

  test('is used by the next start', () => {
    keepOne()
    assert.equal(start(), true)
  })

  test('is ignored when any byte has changed', () => {
    const size = readFileSync(keepOne()).length
    for (const position of [0, 31, 32, 40, size >> 1, size - 1]) {
      rmSync(join(directory, 'cache'), { recursive: true })
      const path = keepOne()
      const bytes = readFileSync(path)
      bytes.writeUInt8(bytes.readUInt8(position) ^ 0x15, position)
      writeFileSync(path, bytes)
      assert.equal(start(), false, `byte ${position} of ${size}`)
    }
  })

  test('is ignored when truncated or empty', () => {
    for (const length of [0, 31, 32, 100]) {
      rmSync(join(directory, 'cache'), { recursive: true, force: true })
      const path = keepOne()
      writeFileSync(path, readFileSync(path).subarray(0, length))
      assert.equal(start(), false, `${length} bytes`)
    }
  })

  test('is ignored for another program', () => {
    keepOne()
    writeFileSync(join(directory, 'program.js'), '(function (left, right) { return right + left })')
    assert.equal(start('b'), false)
  })

  test('is ignored when other users could have written it', { skip: process.platform === 'win32' && 'no permission bits' }, () => {
    chmodSync(keepOne(), 0o666)
    assert.equal(start(), false)
  })

  test('is optional: without a writable directory the program still runs', () => {
    process.env['APISERVER_COMPILE_CACHE'] = join(directory, 'program.js', 'cache')
    const { value, keep } = evaluateProgram(directory, 'program.js', digestOf('a'))
    keep()
    assert.equal((value as (left: number, right: number) => number)(1, 2), 3)
  })

  test('holds at most four files in a directory', () => {
    for (const letter of 'abcdef') evaluateProgram(directory, 'program.js', digestOf(letter)).keep()
    assert.equal(kept().length, 4)
  })

  test('is part of the build, so that no start writes it', async () => {
    process.env = { ...environment, XDG_CACHE_HOME: directory }
    const daemon = await startDaemon()
    await daemon.stop()
    assert.equal(existsSync(join(directory, 'apiserver')), false)
    const etcd = await startEtcd({ command: ownEtcd })
    await etcd.stop()
    assert.equal(existsSync(join(directory, 'apiserver')), false)
    const caches = readdirSync(join(bundle, '..')).filter((name) => name.endsWith('.compiled'))
    assert.equal(caches.length, 2, 'of the server and of etcd')
  })
})
