import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RequestHeads } from '../../../../runtimes/wire/server/head.ts'

const pseudo = [':method', 'GET', ':scheme', 'https', ':path', '/', ':authority', 'host']
const long = 'x'.repeat(1_000)

test('a field is valid only as it was sent: in another place, with another name or value it is validated', () => {
  const heads = new RequestHeads()
  const read = (...fields: string[]) => heads.read([...pseudo, ...fields]).fields
  for (const value of [long, long, `${long}y`, long, 'short', 'short'])
    assert.deepEqual(read('authorization', value, 'accept', '*/*'), ['authorization', value, 'accept', '*/*'])
  for (const wrong of [`${long}\n`, `${long}\0y`, ` ${long}`, `${long}\n`, 'short\n'])
    assert.throws(() => read('authorization', wrong, 'accept', '*/*'), /authorization has (a control character|surrounding space)/)
  assert.deepEqual(read('authorization', long), ['authorization', long])
  assert.throws(() => read('connection', long), /connection is not allowed/)
  assert.throws(() => read('connection', long), /connection is not allowed/)
  assert.throws(() => read('Authorization', long), /is no valid field name/)
  assert.deepEqual(read('x-1', '1', 'x-2', '2'), ['x-1', '1', 'x-2', '2'])
  assert.throws(() => read('x-2', '2', 'x-1', '1\n'), /x-1 has a control character/)
})

test('a pseudo-header field behind a regular one is refused, also where the last request had it before', () => {
  const connect = [':method', 'CONNECT', ':protocol', 'websocket', ':scheme', 'https', ':path', '/', ':authority', 'host']
  for (const last of [connect, pseudo])
    for (let place = 0; place < pseudo.length; place += 2) {
      const heads = new RequestHeads()
      heads.read(last)
      assert.throws(() => heads.read(pseudo.toSpliced(place, 0, 'x-1', '1')), /":[a-z]+" is no valid field name/)
    }
})

test('pseudo-header fields are validated with every request', () => {
  const heads = new RequestHeads()
  const wrong: readonly (readonly [list: readonly string[], why: RegExp])[] = [
    [[...pseudo, ':path', '/'], /":path" is not allowed in a request, or is repeated/],
    [[...pseudo, ':status', '200'], /":status" is not allowed/],
    [pseudo.slice(2), /has no method/],
    [[':method', 'G T', ...pseudo.slice(2)], /has no method/],
    [pseudo.slice(0, 4), /missing or unknown pseudo-header fields/],
    [[...pseudo.slice(0, 4), ':path', ' /'], /:path has surrounding space/],
    [[...pseudo, ':protocol', 'websocket'], /only allowed with CONNECT/],
    [[':method', 'CONNECT', ...pseudo.slice(2)], /missing or unknown pseudo-header fields/],
    [[...pseudo, 'x-1', '1', ':path', '/'], /is no valid field name/],
  ]
  for (const [list, why] of wrong) {
    heads.read(pseudo)
    assert.throws(() => heads.read(list), why)
    assert.throws(() => heads.read(list), why)
  }
  assert.equal(heads.read([...pseudo, 'content-length', '12']).contentLength, 12)
  assert.throws(() => heads.read([...pseudo, 'content-length', '12', 'content-length', '13']), /content-length is no number or is repeated/)
  assert.equal(heads.read([':method', 'CONNECT', ':authority', 'host:1']).path, undefined)
})
