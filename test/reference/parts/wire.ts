/**
 * Requests as bytes, as the HTTP clients of many languages write them, and as none should: framing, targets, fields, versions, upgrades. Each is
 * followed by a request that closes the connection, so that answers show where the server sees the end of the first.
 */
import { type Call, type Part, type Scene, send } from '../exchange.ts'
import { adminToken } from '../ours.ts'

const maps = '/api/v1/namespaces/default/configmaps'
const admin = `Authorization: Bearer ${adminToken}`
const one = { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'wire' }, data: { a: 'b' } }
const made = JSON.stringify({ ...one, metadata: { name: 'wire-made' } })
const dry = `${maps}?dryRun=All`
const last = 'GET /none/last HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'

const raw = (bytes: string): Call => ({ method: 'RAW', path: '/', body: bytes })
const head = (line: string, fields: readonly string[]) => [line, ...fields].map((each) => `${each}\r\n`).join('')
const request = (line: string, fields: readonly string[] = [], body = '') =>
  `${head(line, ['Host: 127.0.0.1', admin, 'Accept: application/json', ...fields])}\r\n${body}`

const chunked = (text: string, size = text.length) =>
  `${(text.match(new RegExp(`[^]{1,${Math.max(1, size)}}`, 'g')) ?? []).map((part) => `${part.length.toString(16)}\r\n${part}\r\n`).join('')}0\r\n\r\n`
const json = 'Content-Type: application/json'
const length = (text: string) => `Content-Length: ${text.length}`

function* bodies(): Generator<readonly [what: string, bytes: string]> {
  const post = `POST ${dry} HTTP/1.1`
  yield ['length', request(post, [json, length(made)], made)]
  yield ['chunks', request(post, [json, 'Transfer-Encoding: chunked'], chunked(made))]
  yield ['chunks of a byte', request(post, [json, 'Transfer-Encoding: chunked'], chunked(made, 1))]
  for (const value of [
    'Chunked',
    'chunked ',
    ' chunked',
    'gzip, chunked',
    'identity',
    'chunked, chunked',
    'chunked;q=1',
    'x',
    '',
    'chunked,',
  ])
    yield [`Transfer-Encoding: ${JSON.stringify(value)}`, request(post, [json, `Transfer-Encoding:${value}`], chunked(made))]
  yield ['two Transfer-Encoding', request(post, [json, 'Transfer-Encoding: chunked', 'Transfer-Encoding: chunked'], chunked(made))]
  yield ['chunks and a length', request(post, [json, 'Transfer-Encoding: chunked', length(made)], chunked(made))]
  yield ['chunks and a wrong length', request(post, [json, 'Transfer-Encoding: chunked', 'Content-Length: 3'], chunked(made))]
  yield ['chunks over 1.0', request(post.replace('1.1', '1.0'), [json, 'Transfer-Encoding: chunked'], chunked(made))]
  const forms: { readonly [what: string]: string } = {
    'an extension': `${made.length.toString(16)};a=b\r\n${made}\r\n0\r\n\r\n`,
    'a quoted extension': `${made.length.toString(16)};a="b;c\\""\r\n${made}\r\n0;x\r\n\r\n`,
    'upper case': `${made.length.toString(16).toUpperCase()}\r\n${made}\r\n0\r\n\r\n`,
    zeros: `000${made.length.toString(16)}\r\n${made}\r\n000\r\n\r\n`,
    'spaces behind the size': `${made.length.toString(16)}  \r\n${made}\r\n0\r\n\r\n`,
    'a space before the size': ` ${made.length.toString(16)}\r\n${made}\r\n0\r\n\r\n`,
    'line feeds': `${made.length.toString(16)}\n${made}\n0\n\n`,
    'a plus': `+${made.length.toString(16)}\r\n${made}\r\n0\r\n\r\n`,
    '0x': `0x${made.length.toString(16)}\r\n${made}\r\n0\r\n\r\n`,
    'no size': `\r\n${made}\r\n0\r\n\r\n`,
    'a wrong size': `3\r\n${made}\r\n0\r\n\r\n`,
    'a size of 17 digits': `00000000000000001\r\n{\r\n0\r\n\r\n`,
    'a trailer': `${made.length.toString(16)}\r\n${made}\r\n0\r\nX-Checksum: 1\r\n\r\n`,
    'a trailer that authorizes': `${made.length.toString(16)}\r\n${made}\r\n0\r\nAuthorization: Bearer none\r\n\r\n`,
    'a trailer of the body': `${made.length.toString(16)}\r\n${made}\r\n0\r\nContent-Length: 1\r\n\r\n`,
    'a bad trailer': `${made.length.toString(16)}\r\n${made}\r\n0\r\nnothing\r\n\r\n`,
    'nothing but the end': '0\r\n\r\n',
  }
  for (const [what, form] of Object.entries(forms)) {
    yield [`chunks with ${what}`, request(post, [json, 'Transfer-Encoding: chunked'], form)]
    yield [`chunks with ${what}, declared`, request(post, [json, 'Transfer-Encoding: chunked', 'Trailer: X-Checksum'], form)]
  }
  const size = String(made.length)
  for (const value of [
    `+${size}`,
    `0${size}`,
    `${size} `,
    ` ${size}`,
    `-${size}`,
    '',
    'x',
    '1e2',
    `0x${made.length.toString(16)}`,
    `${size}, ${size}`,
  ])
    yield [`Content-Length: ${JSON.stringify(value)}`, request(post, [json, `Content-Length:${value}`], made)]
  for (const value of [size, '1', '0'])
    yield [`two lengths, ${value}`, request(post, [json, length(made), `Content-Length: ${value}`], made)]
  yield ['no length', request(post, [json], '')]
  yield ['no length over 1.0', request(post.replace('1.1', '1.0'), [json], '')]
  for (const type of [
    '',
    'application/json',
    'application/yaml',
    'application/vnd.kubernetes.protobuf',
    'text/plain',
    'application/x-www-form-urlencoded',
  ])
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'GET']) {
      const path = method === 'POST' ? dry : `${maps}/wire-deleted?dryRun=All`
      const fields = type === '' ? [] : [`Content-Type: ${type}`]
      yield [`${method} with no bytes of ${type}`, request(`${method} ${path} HTTP/1.1`, [...fields, 'Content-Length: 0'])]
      yield [
        `${method} with no chunks of ${type}`,
        request(`${method} ${path} HTTP/1.1`, [...fields, 'Transfer-Encoding: chunked'], '0\r\n\r\n'),
      ]
    }
  for (const method of ['GET', 'HEAD', 'OPTIONS', 'DELETE']) {
    yield [`${method} with a body`, request(`${method} ${maps}/wire-deleted?dryRun=All HTTP/1.1`, [json, 'Content-Length: 2'], '{}')]
    yield [
      `${method} with chunks`,
      request(`${method} ${maps}/wire-deleted?dryRun=All HTTP/1.1`, [json, 'Transfer-Encoding: chunked'], chunked('{}')),
    ]
  }
  for (const encoding of ['gzip', 'identity', 'deflate', 'br', 'x'])
    yield [`Content-Encoding: ${encoding}`, request(post, [json, length(made), `Content-Encoding: ${encoding}`], made)]
  for (const value of ['100-continue', '100-Continue', '200-ok', '100-continue, x', ''])
    for (const version of ['1.1', '1.0'])
      yield [`Expect: ${value} over ${version}`, request(post.replace('1.1', version), [json, length(made), `Expect: ${value}`], made)]
  yield ['Expect without a body', request(post, [json, 'Content-Length: 0', 'Expect: 100-continue'])]
  yield ['Expect with GET', request(`GET ${maps}/wire HTTP/1.1`, ['Expect: 100-continue'])]
  yield ['Expect with chunks', request(post, [json, 'Transfer-Encoding: chunked', 'Expect: 100-continue'], chunked(made))]
  yield ['Expect, refused', request('POST /none HTTP/1.1', [json, length(made), 'Expect: 100-continue'], made)]
}

function* targets(): Generator<readonly [what: string, bytes: string]> {
  const list = [
    ...[
      '/healthz',
      'http://127.0.0.1/healthz',
      'https://127.0.0.1/healthz',
      'https://other.example/healthz',
      'http:///healthz',
      'x://y/healthz',
    ],
    ...[
      'HTTP://127.0.0.1/healthz',
      'http://127.0.0.1',
      'http://a@127.0.0.1/healthz',
      '*',
      'healthz',
      '',
      '127.0.0.1:443',
      '?x',
      '#',
      '/healthz#x',
    ],
    ...[
      '//healthz',
      '///healthz',
      '/healthz/',
      '/./healthz',
      '/api/../healthz',
      '/api/./v1',
      '/%68ealthz',
      '/healthz%00',
      '/healthz%0a',
      '/%',
      '/%zz',
    ],
    ...[
      '/healthz?',
      '/healthz?;',
      '/healthz?a;b',
      '/healthz?a=b;c=d',
      '/healthz?%zz',
      '/healthz?a=%',
      '/healthz?+',
      '/healthz??',
      '/healthz?#',
      '/healthz\\',
    ],
    ...[
      '/heal\u0001thz',
      '/\u00e9',
      '/%c3%a9',
      '/healthz?\u00e9',
      '/healthz\u007f',
      '/a b',
      '/\thealthz',
      '/healthz?a b',
      '/{x}',
      '/<x>',
      '/"x"',
      '/^',
      '/`',
      '/|',
    ],
    ...[
      `${maps}/wi%72e`,
      `${maps}/wire%20`,
      `${maps}/wire+`,
      `${maps}/wire;x`,
      `${maps}/wire;x=y`,
      `${maps}//wire`,
      `/api//v1/namespaces/default/configmaps/wire`,
    ],
    ...[
      `${maps}%2fwire`,
      `${maps}/%2e%2e/configmaps/wire`,
      `${maps}/..%2fsecrets`,
      `${maps}/%57ire`,
      `${maps}/wire?pretty=1;x`,
      `${maps}?labelSelector=a%3Db;limit=1`,
    ],
    ...[
      `${maps}?labelSelector=a+in+(b)`,
      `${maps}?labelSelector=a%20in%20(b)`,
      `${maps}?fieldSelector=metadata.name=wire`,
      `${maps}?limit=1&limit=2`,
      `${maps}?limit`,
    ],
    ...[
      `${maps}?fieldSelector=metadata.name%3dwire&&`,
      `${maps}?&fieldSelector=metadata.name%3dwire`,
      `${maps}?%66ieldSelector=metadata.name%3dwire`,
    ],
    ...[`${maps}?fieldSelector=metadata.name%3Dwire;pretty=true`, `${maps}?fieldSelector[]=metadata.name%3Dwire`, `/${'a'.repeat(9000)}`],
  ]
  for (const target of list) yield [`target ${JSON.stringify(target.slice(0, 80))}`, request(`GET ${target} HTTP/1.1`)]
  yield ['CONNECT', request('CONNECT 127.0.0.1:443 HTTP/1.1')]
  yield ['CONNECT of a path', request('CONNECT /healthz HTTP/1.1')]
  for (const method of ['OPTIONS', 'TRACE', 'HEAD', 'POST']) yield [`${method} *`, request(`${method} * HTTP/1.1`)]
}

function* lines(): Generator<readonly [what: string, bytes: string]> {
  for (const version of [
    'HTTP/1.1',
    'HTTP/1.0',
    'HTTP/1.2',
    'HTTP/2.0',
    'HTTP/0.9',
    'HTTP/1',
    'http/1.1',
    'HTTP/1.1 ',
    'HTTP/01.1',
    'HTTP/1.10',
    'XTTP/1.1',
    '',
  ])
    yield [`version ${JSON.stringify(version)}`, request(`GET /healthz ${version}`)]
  yield ['no version', request('GET /healthz')]
  for (const method of [
    'get',
    'Get',
    'GE T',
    'G@T',
    '',
    'BREW',
    'PROPFIND',
    'QUERY',
    'LINK',
    'M-SEARCH',
    'G\u00e9T',
    'PRI',
    'X'.repeat(100),
  ])
    yield [`method ${JSON.stringify(method.slice(0, 20))}`, request(`${method} /healthz HTTP/1.1`)]
  yield ['two spaces', request('GET  /healthz HTTP/1.1')]
  yield ['two spaces before the version', request('GET /healthz  HTTP/1.1')]
  yield ['a tab', request('GET\t/healthz HTTP/1.1')]
  yield ['an empty line before', `\r\n${request('GET /healthz HTTP/1.1')}`]
  yield ['two empty lines before', `\r\n\r\n${request('GET /healthz HTTP/1.1')}`]
  yield ['a space before', ` ${request('GET /healthz HTTP/1.1')}`]
  yield ['line feeds', request('GET /healthz HTTP/1.1').replaceAll('\r\n', '\n')]
  yield ['carriage returns', request('GET /healthz HTTP/1.1').replaceAll('\r\n', '\r')]
  yield ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n']
  yield ['a hello of TLS', '\u0016\u0003\u0001\u0000\u0005hello']
  yield ['nothing but bytes', '\u0000\u0001\u0002\u0003\r\n\r\n']
}

function* fields(): Generator<readonly [what: string, bytes: string]> {
  const of = (...own: string[]) => request('GET /healthz HTTP/1.1', own)
  const without = (line: string, ...own: string[]) => `${head(line, own)}\r\n`
  yield ['no Host', without('GET /healthz HTTP/1.1')]
  yield ['no Host over 1.0', without('GET /healthz HTTP/1.0')]
  yield ['no Host, kept over 1.0', without('GET /healthz HTTP/1.0', 'Connection: keep-alive')]
  for (const host of [
    '',
    ' ',
    'x y',
    'a/b',
    'a@b',
    '[::1]',
    '[::1',
    'x:port',
    'x:1:2',
    '\u00e9',
    'x#',
    'x?',
    '%41',
    'x,y',
    'x_y',
    '*',
    '..',
    '0',
  ])
    yield [`Host: ${JSON.stringify(host)}`, without('GET /healthz HTTP/1.1', `Host: ${host}`, admin)]
  yield ['two Host', without('GET /healthz HTTP/1.1', 'Host: x', 'Host: x', admin)]
  yield ['HOST', without('GET /healthz HTTP/1.1', 'HOST: x', admin)]
  yield ['Host and an absolute target', without('GET http://y/healthz HTTP/1.1', 'Host: x', admin)]
  yield ['an absolute target without Host', without('GET http://y/healthz HTTP/1.1', admin)]
  const odd = [
    'nothing',
    ': x',
    'X : y',
    ' X: y',
    'X:y',
    'X:',
    'X:\ty\t',
    'X: y\u0000z',
    'X: \u0001',
    'X: \u007f',
    'X: \u00e9',
    'X\u0000: y',
    'X\u00e9: y',
    'X(y): z',
    'X y: z',
  ]
  for (const each of [
    ...odd,
    'X: a\r\n b',
    'X: a\r\n\tb',
    'X: a\n b',
    'X: a\rb',
    'X: a\nY: b',
    '"X": y',
    'X_Y: z',
    'X.Y: z',
    'X/Y: z',
    `X: ${'y'.repeat(9000)}`,
  ])
    yield [`field ${JSON.stringify(each.slice(0, 30))}`, of(each)]
  yield ['a folded field in front', `GET /healthz HTTP/1.1\r\n folded\r\nHost: x\r\n${admin}\r\n\r\n`]
  const object = (...own: string[]) => request(`GET ${maps}/wire HTTP/1.1`, own)
  for (const own of [
    ...[
      ['AUTHORIZATION: Bearer x'],
      ['Accept: application/yaml'],
      ['ACCEPT: text/html'],
      ['Accept: '],
      ['Accept-Encoding: gzip'],
      ['Accept-Encoding: identity;q=0'],
    ],
    ...[
      ['Accept-Encoding: *'],
      ['Accept-Encoding: br, zstd'],
      ['Accept-Charset: x'],
      ['Accept-Language: de'],
      ['TE: trailers'],
      ['TE: trailers, deflate;q=0.5'],
    ],
    ...[
      ['Range: bytes=0-1'],
      ['Range: bytes=0-1', 'If-Range: "x"'],
      ['Range: bytes=5-1'],
      ['Range: items=0-1'],
      ['If-None-Match: *'],
      ['If-Match: "x"'],
    ],
    ...[
      ['If-Modified-Since: Wed, 21 Oct 2065 07:28:00 GMT'],
      ['If-Unmodified-Since: Wed, 21 Oct 2015 07:28:00 GMT'],
      ['Cache-Control: no-cache'],
      ['Pragma: no-cache'],
    ],
    ...[
      ['X-HTTP-Method-Override: DELETE'],
      ['X-HTTP-Method: DELETE'],
      ['X-Forwarded-For: 1.2.3.4'],
      ['Forwarded: for=1.2.3.4'],
      ['X-Original-URL: /healthz'],
    ],
    ...[
      ['Cookie: a=b'],
      ['Origin: https://x.example'],
      ['Referer: https://x.example/'],
      ['Max-Forwards: 0'],
      ['Via: 1.1 x'],
      ['DNT: 1'],
      ['Priority: u=1'],
      ['Keep-Alive: timeout=5'],
    ],
    ...[
      ['Content-Type: text/plain'],
      ['Content-Type: application/json', 'Content-Type: text/plain'],
      ['User-Agent: a', 'User-Agent: b'],
      ['Audit-ID: x', 'Audit-ID: y'],
      ['Audit-ID: 123'],
    ],
  ])
    yield [own.join(' | '), object(...own)]
  for (const connection of [
    'close',
    'Close',
    'keep-alive',
    'Keep-Alive',
    'close, x',
    'x, close',
    'keep-alive, close',
    'authorization',
    'upgrade',
    '',
    'accept',
    'te',
    ',',
  ])
    for (const version of ['1.1', '1.0'])
      yield [
        `Connection: ${JSON.stringify(connection)} over ${version}`,
        request(`GET ${maps}/wire HTTP/${version}`, [`Connection: ${connection}`]),
      ]
  yield ['two Connection', object('Connection: keep-alive', 'Connection: close')]
  yield ['Proxy-Connection', object('Proxy-Connection: close')]
  for (const path of [`${maps}/wire`, maps, '/healthz', '/none']) yield [`HEAD ${path}`, request(`HEAD ${path} HTTP/1.1`)]
  yield ['two at once', request('GET /healthz HTTP/1.1') + object()]
  yield ['a failed one and another', request('GET /none HTTP/1.1') + request(`POST ${dry} HTTP/1.1`, [json, length(made)], made)]
  yield ['a body that is refused unread, and another', request('POST /none HTTP/1.1', [json, length(made)], made) + object()]
}

function* upgrades(): Generator<readonly [what: string, bytes: string]> {
  const watch = `${maps}?watch=1&timeoutSeconds=1&fieldSelector=metadata.name%3Dwire`
  const socket = [
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Version: 13',
    'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
    'Origin: https://x.example',
  ]
  const spdy = ['Connection: Upgrade', 'Upgrade: SPDY/3.1', 'X-Stream-Protocol-Version: v4.channel.k8s.io']
  const exec = '/api/v1/namespaces/default/pods/none/exec?command=x&stdout=1'
  for (const [name, own] of [
    ['websocket', socket],
    ['spdy', spdy],
  ] as const)
    for (const [what, path] of [
      ['a watch', watch],
      ['exec', exec],
      ['an object', `${maps}/wire`],
      ['nothing', '/none'],
    ] as const)
      for (const method of ['GET', 'POST', 'HEAD']) {
        yield [`${method} ${what}, ${name}`, request(`${method} ${path} HTTP/1.1`, own)]
        yield [`${method} ${what}, ${name}, with a body`, request(`${method} ${path} HTTP/1.1`, [...own, 'Content-Length: 5'], 'hello')]
        yield [
          `${method} ${what}, ${name}, with chunks`,
          request(`${method} ${path} HTTP/1.1`, [...own, 'Transfer-Encoding: chunked'], chunked('hello')),
        ]
        yield [`${method} ${what}, ${name}, with no bytes`, request(`${method} ${path} HTTP/1.1`, [...own, 'Content-Length: 0'])]
        yield [`${method} ${what}, ${name}, over 1.0`, request(`${method} ${path} HTTP/1.0`, own)]
      }
  for (const to of ['h2c', 'h2c, websocket', 'websocket, h2c', 'TLS/1.2', 'x', '', 'WebSocket', 'HTTP/2.0']) {
    const own = ['Connection: Upgrade, HTTP2-Settings', `Upgrade: ${to}`, 'HTTP2-Settings: AAMAAABkAAQAAP__']
    yield [`to ${to}`, request(`GET ${maps}/wire HTTP/1.1`, own)]
    yield [`to ${to}, with a body`, request(`POST ${dry} HTTP/1.1`, [...own, json, length(made)], made)]
    yield [`to ${to}, a watch`, request(`GET ${watch} HTTP/1.1`, [...own, ...socket.slice(2)])]
  }
  yield ['Upgrade without Connection', request(`GET ${watch} HTTP/1.1`, socket.slice(1))]
  yield ['Connection without Upgrade', request(`GET ${watch} HTTP/1.1`, ['Connection: Upgrade', ...socket.slice(2)])]
}

/** What the two servers' parsers judge differently; see the row of accepted differences. */
const judged: { readonly [kind: string]: readonly string[] } = {
  bodies: [
    ...[
      'Transfer-Encoding: "chunked, chunked"',
      'Transfer-Encoding: "chunked,"',
      'two Transfer-Encoding',
      'chunks and a length',
      'chunks over 1.0',
    ],
    ...[
      'chunks and a wrong length',
      `two lengths, ${made.length}`,
      'Expect: 200-ok over 1.1',
      'Expect: 200-ok over 1.0',
      'Expect:  over 1.1',
      'Expect without a body',
      'Expect with GET',
    ],
    ...[
      ...[
        'spaces behind the size',
        'a space before the size',
        'line feeds',
        'a plus',
        '0x',
        'no size',
        'a wrong size',
        'a size of 17 digits',
      ],
      ...['a trailer of the body', 'a bad trailer'],
    ].flatMap((what) => [`chunks with ${what}`, `chunks with ${what}, declared`]),
  ],
  targets: ['target "/\u00e9"', 'target "/healthz?\u00e9"', 'CONNECT'],
  lines: [
    ...[
      'version "HTTP/1.2"',
      'version "HTTP/0.9"',
      'method "get"',
      'method "Get"',
      'method "BREW"',
      'method "PRI"',
      `method "${'X'.repeat(20)}"`,
    ],
    ...[
      'two spaces',
      'two spaces before the version',
      'an empty line before',
      'two empty lines before',
      'line feeds',
      'the preface of HTTP/2',
    ],
  ],
  fields: [
    ...[
      'two Host',
      'field "X : y"',
      'field " X: y"',
      'field "X y: z"',
      'field "X: a\\r\\n b"',
      'field "X: a\\r\\n\\tb"',
      'field "X: a\\n b"',
    ],
    'field "X: a\\nY: b"',
  ],
  upgrades: ['with a body', 'with chunks', 'over 1.0'].map((what) => `GET a watch, websocket, ${what}`),
}

const groups = { bodies, targets, lines, fields, upgrades }

function* scenes(): Generator<Scene> {
  for (const [kind, of] of Object.entries(groups))
    for (const [at, bytes] of of())
      yield { kind: judged[kind]?.includes(at) ? 'judged' : kind, at: `${kind}: ${at}`, calls: [raw(bytes + last)] }
}

export const wire: Part = {
  name: 'wire',
  before: () => [{ method: 'DELETE', path: `${maps}/wire` }, send('POST', maps, one)],
  scenes,
  after: () => [{ method: 'DELETE', path: `${maps}/wire` }],
}
