import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Connection } from '../../../../runtimes/wire/client/connection.ts'
import { KnownHeaders } from '../../../../runtimes/wire/client/known-headers.ts'
import { addressOf } from '../../../../runtimes/wire/client/socket.ts'
import { Decoder } from '../../../../runtimes/wire/hpack/decoder.ts'
import { Encoder } from '../../../../runtimes/wire/hpack/encoder.ts'
import { huffmanDecoded, huffmanLength, huffmanWrite } from '../../../../runtimes/wire/hpack/huffman.ts'
import { encodedHeaders } from '../../../../runtimes/wire/hpack/write.ts'
import { seeded } from '../../../support/mutate.ts'
import { grpcServer } from '../../stores/etcd/grpc-server.ts'
import { hostClock } from '../../stores/helpers.ts'

const bytes = (hex: string) => Buffer.from(hex.replaceAll(' ', ''), 'hex')
/** Pairs from alternating names and values. */
const pairs = (fields: readonly string[]) =>
  fields.flatMap((name, at): [string, string][] => (at % 2 === 0 ? [[name, fields[at + 1] ?? '']] : []))
/** Fields of a single block, from a peer without a dynamic table. */
const decodedHeaders = (block: Buffer) => pairs(new Decoder({ tableSize: 0 }).decode(block).fields)
const decoded = (hex: string) => decodedHeaders(bytes(hex))
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

const secondRequest = [...firstRequest, ['cache-control', 'no-cache']]
const thirdRequest = [
  [':method', 'GET'],
  [':scheme', 'https'],
  [':path', '/index.html'],
  [':authority', 'www.example.com'],
  ['custom-key', 'custom-value'],
]
const response = (status: string, seconds: number, ...more: [string, string][]) => [
  [':status', status],
  ['cache-control', 'private'],
  ['date', `Mon, 21 Oct 2013 20:13:${seconds} GMT`],
  ['location', 'https://www.example.com'],
  ...more,
]
const sorted = (fields: readonly (readonly string[])[]) => fields.map(String).toSorted()

test('RFC 7541 appendix C: requests and responses of one connection', () => {
  const connections: Record<string, [table: number, blocks: string[], lists: (readonly (readonly string[])[])[]]> = {
    'C.3': [
      4096,
      [
        '8286 8441 0f77 7777 2e65 7861 6d70 6c65 2e63 6f6d',
        '8286 84be 5808 6e6f 2d63 6163 6865',
        '8287 85bf 400a 6375 7374 6f6d 2d6b 6579 0c63 7573 746f 6d2d 7661 6c75 65',
      ],
      [firstRequest, secondRequest, thirdRequest],
    ],
    'C.4': [
      4096,
      [
        '8286 8441 8cf1 e3c2 e5f2 3a6b a0ab 90f4 ff',
        '8286 84be 5886 a8eb 1064 9cbf',
        '8287 85bf 4088 25a8 49e9 5ba9 7d7f 8925 a849 e95b b8e8 b4bf',
      ],
      [firstRequest, secondRequest, thirdRequest],
    ],
    'C.5': [
      256,
      [
        '4803 3330 3258 0770 7269 7661 7465 611d 4d6f 6e2c 2032 3120 4f63 7420 3230 3133 2032 303a 3133 3a32 3120 474d 546e 1768 7474 7073 3a2f 2f77 7777 2e65 7861 6d70 6c65 2e63 6f6d',
        '4803 3330 37c1 c0bf',
        '88c1 611d 4d6f 6e2c 2032 3120 4f63 7420 3230 3133 2032 303a 3133 3a32 3220 474d 54c0 5a04 677a 6970 7738 666f 6f3d 4153 444a 4b48 514b 425a 584f 5157 454f 5049 5541 5851 5745 4f49 553b 206d 6178 2d61 6765 3d33 3630 303b 2076 6572 7369 6f6e 3d31',
      ],
      [
        response('302', 21),
        response('307', 21),
        response('200', 22, ['content-encoding', 'gzip'], ['set-cookie', 'foo=ASDJKHQKBZXOQWEOPIUAXQWEOIU; max-age=3600; version=1']),
      ],
    ],
    'C.6': [
      256,
      [
        '4882 6402 5885 aec3 771a 4b61 96d0 7abe 9410 54d4 44a8 2005 9504 0b81 66e0 82a6 2d1b ff6e 919d 29ad 1718 63c7 8f0b 97c8 e9ae 82ae 43d3',
        '4883 640e ffc1 c0bf',
        '88c1 6196 d07a be94 1054 d444 a820 0595 040b 8166 e084 a62d 1bff c05a 839b d9ab 77ad 94e7 821d d7f2 e6c7 b335 dfdf cd5b 3960 d5af 2708 7f36 72c1 ab27 0fb5 291f 9587 3160 65c0 03ed 4ee5 b106 3d50 07',
      ],
      [
        response('302', 21),
        response('307', 21),
        response('200', 22, ['content-encoding', 'gzip'], ['set-cookie', 'foo=ASDJKHQKBZXOQWEOPIUAXQWEOIU; max-age=3600; version=1']),
      ],
    ],
  }
  for (const [section, [tableSize, blocks, lists]] of Object.entries(connections)) {
    const decoder = new Decoder({ tableSize })
    for (const [at, block] of blocks.entries()) {
      const { fields } = decoder.decode(bytes(block))
      assert.deepEqual(sorted(pairs(fields)), sorted(lists[at] ?? []), `${section}.${at + 1}`)
    }
  }
})

test('requests are encoded without a dynamic table, and decode to the same', () => {
  assert.equal(encodedHeaders(firstRequest).toString('hex'), '828684010f7777772e6578616d706c652e636f6d')
  assert.equal(encodedHeaders([[':path', '/sample/path']]).toString('hex'), '040c2f73616d706c652f70617468')
  assert.equal(encodedHeaders([['password', 'secret']]).toString('hex'), '000870617373776f726406736563726574')
  const long: [string, string][] = [
    ['te', 'x'.repeat(126)],
    ['ua', 'y'.repeat(127)],
    ['long', 'z'.repeat(20_000)],
  ]
  assert.deepEqual(decodedHeaders(encodedHeaders(long)), long)
})

test('a table size of zero may be announced at the start of a block, also twice', () => {
  assert.deepEqual(decoded('20 20 88'), [[':status', '200']])
})

test('invalid blocks are refused', () => {
  const wrong = {
    'an index of the dynamic table': 'be',
    'index zero': '80',
    'a name in the dynamic table': '7e 01 61',
    'a table size above the limit': '3f e1 1f',
    'a table size after a field': '88 20',
    'a truncated string': '04 0c 2f73',
    'a field without a value': '04',
    'a truncated number': 'ff 80',
    'a number that is too large': 'ff ff ff ff ff 7f',
    'eight bits of padding': '04 82 07 ff',
    'padding with zeros': '04 81 00',
    'the EOS symbol in a string': '04 84 ff ff ff ff',
  }
  for (const [what, hex] of Object.entries(wrong)) assert.throws(() => decodedHeaders(bytes(hex)), compressionError, what)
})

test('codes of symbols that no header field may contain', () => {
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

test('every valid symbol, encoded by another implementation', async () => {
  const symbols = Array.from({ length: 256 }, (_, code) => String.fromCharCode(code)).filter((symbol) => /[\t -~\x80-\xff]/.test(symbol))
  // Surrounded by short codes, so that the encoder chooses Huffman coding for symbols with long codes too.
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

test('repeated blocks are decoded once, and few are cached', () => {
  const decoder = new KnownHeaders()
  const block = (status: number) => encodedHeaders([['grpc-status', String(status)]])
  const first = decoder.decode(block(0))
  assert.equal(decoder.decode(block(0)), first, 'the same block')
  for (let status = 1; status < 100; status++) assert.equal(decoder.decode(block(status)).get('grpc-status'), String(status))
  assert.notEqual(decoder.decode(block(0)), first, 'evicted')
  assert.deepEqual(decoder.decode(block(0)), first)
})

const blockOf = (encoder: Encoder, fields: readonly string[]) => {
  const to = Buffer.alloc(Encoder.bound(fields))
  return to.subarray(0, encoder.write(to, 0, fields))
}

test('repeated fields enter the dynamic table at both ends, others do not', () => {
  const encoder = new Encoder()
  const decoder = new Decoder()
  const sizes = Array.from({ length: 200 }, (_, count) => {
    const fields = [
      ':status',
      '200',
      'audit-id',
      `id-${count}`,
      'cache-control',
      'no-cache, private',
      'x-own',
      `${count >> 5}`,
      'x-empty',
      '',
    ]
    const block = blockOf(encoder, fields)
    assert.deepEqual(decoder.decode(block).fields, fields, `answer ${count}`)
    return block.length
  })
  assert.ok((sizes[5] ?? 0) < 20, `a few bytes per response: ${sizes.slice(0, 6)}`)
})

test('random fields, table sizes and failures: the decoder returns the encoded fields', () => {
  const random = seeded(7)
  const text = (most: number) =>
    Array.from({ length: random.below(most) }, () =>
      String.fromCharCode(random.pick([32 + random.below(95), 128 + random.below(128)])),
    ).join('')
  for (let connection = 0; connection < 200; connection++) {
    const encoder = new Encoder()
    const decoder = new Decoder()
    const values = Array.from({ length: 6 }, () => text(random.pick([3, 60, 1_500])))
    for (let block = 0; block < 30; block++) {
      for (let changes = random.below(3); changes > 0; changes--) encoder.resize(random.pick([0, 40, 100, 4_096, 65_536]))
      const fields = Array.from({ length: random.below(12) }, () => [
        `x-${random.below(random.pick([4, 100]))}`,
        random.pick(values),
      ]).flat()
      if (random.below(10) === 0)
        assert.throws(() => blockOf(encoder, [...fields, 'x-bad', random.pick(['a\nb', '\u0100', '\0'])]), TypeError)
      else assert.deepEqual(decoder.decode(blockOf(encoder, fields)).fields, fields)
    }
  }
})

test('Huffman coding of any text decodes to the same, with the predicted length', () => {
  const random = seeded(11)
  for (let count = 0; count < 2_000; count++) {
    const text = Array.from({ length: random.below(40) }, () => String.fromCharCode(random.below(256))).join('')
    const to = Buffer.alloc(200)
    const end = huffmanWrite(text, to, 3)
    assert.equal(end - 3, huffmanLength(text))
    assert.equal(huffmanDecoded(to, 3, end), text)
  }
})

test('a header list over the limit is decoded to its end, so that the dynamic table stays in sync', () => {
  const decoder = new Decoder({ fields: 10, bytes: 2_000 })
  const encoder = new Encoder()
  const many = Array.from({ length: 11 }, (_, i) => [`x-${i}`, 'v']).flat()
  const big = ['x-big', 'v'.repeat(2_000)]
  for (const fields of [many, big, many]) {
    const { bytes: _bytes, ...decoded } = decoder.decode(blockOf(encoder, fields))
    assert.deepEqual(decoded, { fields: [], tooLarge: true })
  }
  const { bytes: _bytes, ...decoded } = decoder.decode(blockOf(encoder, many.slice(0, 20)))
  assert.deepEqual(decoded, { fields: many.slice(0, 20), tooLarge: false })
  // A bomb: an entry of 4,000 bytes, and 16,000 references to it.
  const bomb = Buffer.concat([
    blockOf(encoder, ['y', 'v'.repeat(500)]),
    blockOf(encoder, ['y', 'v'.repeat(500)]),
    Buffer.alloc(16_000, 0xbe),
  ])
  const { bytes: _size, ...decodedBomb } = decoder.decode(bomb)
  assert.deepEqual(decodedBomb, { fields: [], tooLarge: true })
})

test('long values outside of the table are distinguished, whatever came before', () => {
  const decoder = new Decoder()
  const random = seeded(7)
  const values = ['a'.repeat(300), `${'a'.repeat(299)}b`, 'a'.repeat(299), 'b'.repeat(5_000), '\u00e4'.repeat(200), 'short']
  const literal = (name: string, value: string, coded: boolean) => {
    const string = (text: string) => {
      const octets = coded ? Buffer.alloc(huffmanLength(text)) : Buffer.from(text, 'latin1')
      if (coded) huffmanWrite(text, octets, 0)
      const flag = coded ? 0x80 : 0
      if (octets.length < 127) return Buffer.concat([Buffer.of(flag | octets.length), octets])
      const rest = octets.length - 127
      const length = rest < 128 ? [rest] : [(rest & 0x7f) | 0x80, rest >> 7]
      return Buffer.concat([Buffer.of(flag | 127, ...length), octets])
    }
    return Buffer.concat([Buffer.of(0x10), string(name), string(value)])
  }
  for (let round = 0; round < 200; round++) {
    const fields = Array.from({ length: 3 }, () => [`x-${random.below(4)}`, random.pick(values)] as const)
    const block = Buffer.concat(fields.map(([name, value]) => literal(name, value, random.below(2) === 0)))
    assert.deepEqual(pairs(decoder.decode(block).fields), fields)
  }
})
