import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Connection } from '../../../../runtimes/stores/etcd/http2/connection.ts'
import { decodedHeaders, encodedHeaders, HeaderDecoder } from '../../../../runtimes/stores/etcd/http2/hpack.ts'
import { huffmanDecoded } from '../../../../runtimes/stores/etcd/http2/huffman.ts'
import { addressOf } from '../../../../runtimes/stores/etcd/http2/socket.ts'
import { hostClock } from '../helpers.ts'
import { grpcServer } from './grpc-server.ts'

const bytes = (hex: string) => Buffer.from(hex.replaceAll(' ', ''), 'hex')
const decoded = (hex: string) => [...decodedHeaders(bytes(hex))]
const compressionError = { code: 9 }

test('RFC 7541 appendix C: fields', () => {
  assert.deepEqual(decoded('400a 6375 7374 6f6d 2d6b 6579 0d63 7573 746f 6d2d 6865 6164 6572'), [['custom-key', 'custom-header']], 'C.2.1')
  assert.deepEqual(decoded('040c 2f73 616d 706c 652f 7061 7468'), [[':path', '/sample/path']], 'C.2.2')
  assert.deepEqual(decoded('1008 7061 7373 776f 7264 0673 6563 7265 74'), [['password', 'secret']], 'C.2.3')
  assert.deepEqual(decoded('82'), [[':method', 'GET']], 'C.2.4')
})

const firstRequest = [
  [':method', 'GET'],
  [':scheme', 'http'],
  [':path', '/'],
  [':authority', 'www.example.com'],
] as const

test('RFC 7541 appendix C: requests and responses', () => {
  assert.deepEqual(decoded('8286 8441 0f77 7777 2e65 7861 6d70 6c65 2e63 6f6d'), firstRequest, 'C.3.1')
  assert.deepEqual(decoded('8286 8441 8cf1 e3c2 e5f2 3a6b a0ab 90f4 ff'), firstRequest, 'C.4.1')
  const firstResponse = [
    [':status', '302'],
    ['cache-control', 'private'],
    ['date', 'Mon, 21 Oct 2013 20:13:21 GMT'],
    ['location', 'https://www.example.com'],
  ]
  assert.deepEqual(
    decoded(
      `4803 3330 3258 0770 7269 7661 7465 611d 4d6f 6e2c 2032 3120 4f63 7420 3230 3133
             2032 303a 3133 3a32 3120 474d 546e 1768 7474 7073 3a2f 2f77 7777 2e65 7861 6d70 6c65 2e63 6f6d`.replaceAll('\n', ''),
    ),
    firstResponse,
    'C.5.1',
  )
  assert.deepEqual(
    decoded(
      `4882 6402 5885 aec3 771a 4b61 96d0 7abe 9410 54d4 44a8 2005 9504 0b81 66e0 82a6
             2d1b ff6e 919d 29ad 1718 63c7 8f0b 97c8 e9ae 82ae 43d3`.replaceAll('\n', ''),
    ),
    firstResponse,
    'C.6.1',
  )
})

test('requests are encoded without a table and read back', () => {
  assert.equal(encodedHeaders(firstRequest).toString('hex'), '828684010f7777772e6578616d706c652e636f6d')
  assert.equal(encodedHeaders([[':path', '/sample/path']]).toString('hex'), '040c2f73616d706c652f70617468')
  assert.equal(encodedHeaders([['password', 'secret']]).toString('hex'), '000870617373776f726406736563726574')
  const long: [string, string][] = [
    ['te', 'x'.repeat(126)],
    ['ua', 'y'.repeat(127)],
    ['long', 'z'.repeat(20_000)],
  ]
  assert.deepEqual([...decodedHeaders(encodedHeaders(long))], long)
})

test('a table of size zero may be announced, once more and first', () => {
  assert.deepEqual(decoded('20 20 88'), [[':status', '200']])
})

test('what does not fit a table of size zero is refused', () => {
  const wrong = {
    'an index of the dynamic table': 'be',
    'index zero': '80',
    'a name of the dynamic table': '7e 01 61',
    'a table that grows': '3f e1 1f',
    'a table size after a field': '88 20',
    'a string that is cut': '04 0c 2f73',
    'a field without a value': '04',
    'a number that is cut': 'ff 80',
    'a number that is too large': 'ff ff ff ff ff 7f',
    'a code with eight bits of padding': '04 82 07 ff',
    'a code that is padded with zeros': '04 81 00',
    'the end of a string in a string': '04 84 ff ff ff ff',
  }
  for (const [what, hex] of Object.entries(wrong)) assert.throws(() => decodedHeaders(bytes(hex)), compressionError, what)
})

test('codes of symbols that no header field has', () => {
  // Appendix B: symbol, code, bits; the rest of the last byte is padding.
  const codes: [number, number, number][] = [
    [0, 0x1ff8, 13],
    [1, 0x7fffd8, 23],
    [2, 0xfffffe2, 28],
    [9, 0xffffea, 24],
    [10, 0x3ffffffc, 30],
    [13, 0x3ffffffd, 30],
    [22, 0x3ffffffe, 30],
    [31, 0xffffffb, 28],
    [127, 0xffffffc, 28],
    [249, 0xffffffe, 28],
  ]
  for (const [symbol, code, length] of codes) {
    const bits = code.toString(2).padStart(length, '0')
    const padded = bits.padEnd(Math.ceil(length / 8) * 8, '1')
    const encoded = Buffer.from(padded.match(/.{8}/g)?.map((byte) => Number.parseInt(byte, 2)) ?? [])
    assert.equal(huffmanDecoded(encoded), String.fromCharCode(symbol), `symbol ${symbol}`)
  }
})

test('every symbol that a field may have, as another implementation encodes it', async () => {
  const symbols = Array.from({ length: 256 }, (_, code) => String.fromCharCode(code)).filter((symbol) => /[\t -~\x80-\xff]/.test(symbol))
  // Among short codes, so that the encoder takes the Huffman code also for symbols with long ones.
  const fields = Object.fromEntries(symbols.map((symbol, index) => [`x-${index}`, `${'0'.repeat(40)}${symbol}${'a'.repeat(40)}`]))
  await using server = await grpcServer((stream) => {
    stream.respond({ ':status': 200, ...fields }, { endStream: true })
  })
  const connection = new Connection(addressOf(server.url), {}, hostClock)
  const received = await new Promise<Map<string, string>>((resolve, reject) => {
    const head = encodedHeaders([...firstRequest, ['te', 'trailers']])
    connection.open(head, Buffer.from('body'), true, { headers: (headers) => resolve(new Map(headers)), data() {}, end: reject })
  })
  connection.close()
  assert.equal(symbols.length, 224)
  for (const [name, value] of Object.entries(fields)) assert.equal(received.get(name), value, name)
})

test('blocks that repeat are decoded once; however many there are, few are kept', () => {
  const decoder = new HeaderDecoder()
  const block = (status: number) => encodedHeaders([['grpc-status', String(status)]])
  const first = decoder.decode(block(0))
  assert.equal(decoder.decode(block(0)), first, 'the same block')
  for (let status = 1; status < 100; status++) assert.equal(decoder.decode(block(status)).get('grpc-status'), String(status))
  assert.notEqual(decoder.decode(block(0)), first, 'it was dropped')
  assert.deepEqual(decoder.decode(block(0)), first)
})
