import assert from 'node:assert/strict'
import { execFile, spawnSync } from 'node:child_process'
import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { Reply } from '../../../../core/answers/reply.ts'
import type { Connection } from '../../../../core/ports.ts'
import { issueAuthority, newKey } from '../../../../runtimes/node/pki/issue.ts'
import { limits } from '../../../../runtimes/wire/server/limits.ts'
import { eventually, within } from '../../../support/wait.ts'
import { authority, client, deferred, http1, http2, issued, oneConnection, open, session, socket } from '../support.ts'

const echo = async (request: Request) =>
  Response.json({
    method: request.method,
    url: request.url,
    accept: request.headers.get('accept'),
    body: await request.text(),
  })

test('serves HTTP/1.1 and HTTP/2 on one port', async () => {
  await using server = await open(echo)
  const first = await http1(`${server.url}/a?b=1`, { method: 'POST', headers: { accept: 'x/y' }, body: 'hello' })
  assert.deepEqual(JSON.parse(first.text), { method: 'POST', url: `${server.url}/a?b=1`, accept: 'x/y', body: 'hello' })
  assert.equal(first.headers['content-type'], 'application/json')
  const connection = session(server.url)
  const second = await http2(connection, { ':path': '/a?b=1', ':method': 'PUT', accept: 'x/y' }, 'hello')
  assert.deepEqual(JSON.parse(second.text), { method: 'PUT', url: `${server.url}/a?b=1`, accept: 'x/y', body: 'hello' })
  connection.close()
})

test('HTTP/2 can be disabled', async () => {
  await using server = await open(echo, { http2: false })
  const opened = await socket(server.port, { ALPNProtocols: ['h2', 'http/1.1'] })
  assert.equal(opened.alpnProtocol, 'http/1.1')
  opened.destroy()
})

const bodies: Record<string, () => Response> = {
  bytes: () => new Response(new TextEncoder().encode('hello')),
  text: () => new Response('hello', { headers: { 'x-y': 'z' } }),
  stream: () => new Response(new Blob(['hello']).stream()),
  blob: () => new Response(new Blob(['hello'])),
  'headers set later': () => {
    const response = new Response('hello')
    response.headers.set('X-Y', 'z')
    response.headers.append('Warning', '299 - "a"')
    response.headers.append('Warning', '299 - "b"')
    return response
  },
  'headers object': () => new Response('hello', { headers: new Headers({ 'content-length': '5' }) }),
  clone: () => new Response('hello').clone(),
}
for (const [name, make] of Object.entries(bodies)) {
  test(`sends a response from ${name}`, async () => {
    await using server = await open(make)
    const connection = session(server.url)
    const answers = [await http1(server.url), await http2(connection, { ':path': '/' })]
    connection.close()
    for (const { status, text, headers } of answers) {
      assert.equal(status, 200)
      assert.equal(text, 'hello')
      if (name.startsWith('headers set')) {
        assert.equal(headers['x-y'], 'z')
        assert.equal([headers['warning']].flat().join(', '), '299 - "a", 299 - "b"')
      }
    }
  })
}

test('HEAD and 204 have no body, and the stream of a HEAD is cancelled', async () => {
  const cancelled = deferred()
  await using server = await open((request) =>
    request.method === 'HEAD'
      ? new Response(new ReadableStream({ cancel: () => cancelled.resolve() }), { headers: { 'content-length': '5' } })
      : new Response(null, { status: 204 }),
  )
  const agent = oneConnection()
  const head = await http1(server.url, { method: 'HEAD', agent })
  assert.deepEqual([head.status, head.headers['content-length'], head.text], [200, '5', ''])
  await cancelled.promise
  assert.equal((await http1(server.url, { agent })).status, 204)
  agent.destroy()
})

test('a failing handler is answered with 500, and so is an invalid response header', async () => {
  const connectionOf = async (handler: () => Promise<Response>) => {
    await using server = await open(handler)
    const connection = session(server.url)
    const statuses = [(await http1(server.url)).status, (await http2(connection, { ':path': '/' })).status]
    connection.close()
    return statuses
  }
  assert.deepEqual(await connectionOf(() => Promise.reject(new Error('no'))), [500, 500])
  assert.deepEqual(await connectionOf(async () => new Response('x', { headers: { 'x-y': 'a\nb' } })), [500, 500])
})

test('headers above 1 MiB are answered with 431', async () => {
  await using server = await open(echo)
  const big = `GET / HTTP/1.1\r\nHost: x\r\nX-Big: ${'a'.repeat(3_000_000)}\r\n\r\n`
  const answerOf = async () => {
    const opened = await socket(server.port)
    // Reads nothing until everything is sent.
    await new Promise((sent) => opened.write(big, sent))
    const [data] = await within('an answer', once(opened, 'data'))
    opened.destroy()
    return String(data)
  }
  for (const answer of await Promise.all(Array.from({ length: 20 }, answerOf))) assert.match(answer, /^HTTP\/1\.1 431 /)
})

test('more than 16,000 header fields are answered with 431', async () => {
  await using server = await open((request) => Response.json([...request.headers.keys()].length))
  const fields = (count: number) => Array.from({ length: count }, (_, i) => `x-${(i * 7_919) % 65_536}:`).join('\r\n')
  const ask = async (count: number) => {
    const opened = await socket(server.port)
    opened.end(`GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${fields(count - 2)}\r\n\r\n`)
    let text = ''
    for await (const chunk of opened) text += chunk
    return text
  }
  assert.match(await ask(16_000), /^HTTP\/1\.1 200 [\s\S]*\r\n16000\r\n/)
  assert.match(await ask(16_001), /^HTTP\/1\.1 431 /)
  assert.match(await ask(60_000), /^HTTP\/1\.1 431 /)
})

test('a request without TLS gets an explanation', async () => {
  await using server = await open(echo)
  const response = await fetch(server.url.replace('https', 'http'))
  assert.deepEqual([response.status, await response.text()], [400, 'Client sent an HTTP request to an HTTPS server.\n'])
})

test('an upgrade request is handled as an ordinary one', async () => {
  await using server = await open((request) => new Response(request.headers.get('upgrade')))
  const { status, text } = await http1(server.url, { headers: { connection: 'Upgrade', upgrade: 'websocket' } })
  assert.deepEqual([status, text], [200, 'websocket'])
})

test('the answer to HEAD has no body, also when the request asks to upgrade', async () => {
  await using server = await open(() => new Response('body', { status: 405 }))
  const opened = await socket(server.port, { ALPNProtocols: ['http/1.1'] })
  let text = ''
  opened.on('data', (bytes) => (text += bytes))
  opened.write('HEAD / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n')
  await within('the end', once(opened, 'end'))
  assert.match(text, /^HTTP\/1\.1 405 .*\r\n(?:.+\r\n)*\r\n$/)
})

test('connections are reused, and all requests of one share the Connection object', async () => {
  const seen: Connection[] = []
  await using server = await open(async (_, connection) => {
    seen.push(connection)
    return new Response('x')
  })
  const agent = oneConnection()
  const ports = [await http1(server.url, { agent }), await http1(server.url, { agent })].map(({ localPort }) => localPort)
  agent.destroy()
  assert.equal(ports[0], ports[1])
  const connection = session(server.url)
  await Promise.all([http2(connection, { ':path': '/' }), http2(connection, { ':path': '/' })])
  connection.close()
  assert.equal(seen[0], seen[1])
  assert.equal(seen[2], seen[3])
  assert.deepEqual([seen[0]?.protocol, seen[2]?.protocol], ['http/1.1', 'h2'])
  assert.equal(seen[0]?.remoteAddress, '127.0.0.1')
  assert.equal(seen[0]?.remotePort, ports[0])
  assert.equal(seen[0]?.tls?.version, 'TLSv1.3')
  assert.deepEqual(seen[0]?.tls?.peerCertificates, [])
})

for (const protocol of ['HTTP/1.1', 'HTTP/2']) {
  const request = async (url: string, body?: Uint8Array) => {
    if (protocol === 'HTTP/1.1') return http1(url, body === undefined ? {} : { method: 'POST', body })
    const connection = session(url)
    const answer = await http2(connection, { ':path': '/', ':method': body === undefined ? 'GET' : 'POST' }, body)
    connection.close()
    return answer
  }
  /** Sends a request and disconnects after the first bytes of the response or at `leave`. */
  const visit = async (url: string, leave: Promise<void>) => {
    if (protocol === 'HTTP/1.1') {
      const opened = await socket(Number(new URL(url).port))
      opened.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
      await Promise.race([leave, once(opened, 'data')])
      opened.destroy()
    } else {
      const connection = session(url)
      const stream = connection.request({ ':path': '/' })
      stream.on('error', () => {})
      await Promise.race([leave, once(stream, 'data')])
      stream.close(8)
      stream.once('close', () => connection.close())
    }
  }

  test(`${protocol}: the signal aborts when the client disconnects before the response`, async () => {
    const [arrived, aborted] = [deferred(), deferred()]
    await using server = await open(async ({ signal }) => {
      arrived.resolve()
      await once(signal, 'abort')
      aborted.resolve()
      return new Response('late')
    })
    await visit(server.url, arrived.promise)
    await aborted.promise
  })

  test(`${protocol}: when the client leaves a watch, the stream is cancelled and the signal aborts`, async () => {
    const [cancelled, aborted] = [deferred(), deferred()]
    await using server = await open(async ({ signal }) => {
      signal.addEventListener('abort', () => aborted.resolve())
      const body = new ReadableStream<Uint8Array>({
        start: (controller) => controller.enqueue(new TextEncoder().encode('{}\n')),
        cancel: () => cancelled.resolve(),
      })
      return new Response(body)
    })
    await visit(server.url, new Promise(() => {}))
    await Promise.all([cancelled.promise, aborted.promise])
  })

  test(`${protocol}: the signal does not abort on success`, async () => {
    let signal: AbortSignal | undefined
    await using server = await open(async (request) => {
      signal = request.signal
      return new Response('x')
    })
    await request(server.url)
    await server.close(0)
    assert.equal(signal?.aborted, false)
  })

  test(`${protocol}: backpressure of a slow reader reaches the stream`, async () => {
    const chunk = new Uint8Array(64 * 1024)
    const total = 1024
    let pulled = 0
    await using server = await open(
      () =>
        new Response(
          new ReadableStream<Uint8Array<ArrayBuffer>>({
            pull(controller) {
              if (pulled++ === total) controller.close()
              else controller.enqueue(chunk)
            },
          }),
        ),
    )
    const opened = protocol === 'HTTP/1.1' ? await socket(server.port) : undefined
    const connection = opened === undefined ? session(server.url) : undefined
    const stream = connection?.request({ ':path': '/' })
    opened?.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
    const source = opened ?? stream
    assert.ok(source)
    await once(source, 'readable')
    source.pause()
    let before = -1
    while (before !== pulled) {
      before = pulled
      await delay(100)
    }
    assert.ok(pulled < total / 2, `pulled ${pulled} of ${total} chunks for a client that does not read`)
    let received = 0
    source.on('data', (data: Uint8Array) => {
      received += data.length
    })
    source.resume()
    while (received < total * chunk.length) await once(source, 'data')
    assert.ok(pulled > total)
    opened?.destroy()
    connection?.destroy()
  })

  test(`${protocol}: an unread request body does not delay the response`, async () => {
    await using server = await open(() => new Response('no', { status: 413 }))
    const { status, text } = await request(server.url, new Uint8Array(8 * 1024 * 1024))
    assert.deepEqual([status, text], [413, 'no'])
  })

  test(`${protocol}: a request body arrives in pieces, with backpressure`, async () => {
    let length = 0
    await using server = await open(async ({ body }) => {
      assert.ok(body)
      for await (const piece of body as unknown as AsyncIterable<Uint8Array>) length += piece.length
      return new Response(String(length))
    })
    assert.equal((await request(server.url, new Uint8Array(3_000_000))).text, '3000000')
  })
}

test('HTTP/1.1: a partly read body does not block the connection', async () => {
  await using server = await open(async ({ method, body }) => {
    if (method === 'POST') await body?.getReader().read()
    return new Response(method)
  })
  const agent = oneConnection()
  const first = await http1(server.url, { agent, method: 'POST', body: new Uint8Array(2_000_000) })
  const second = await http1(server.url, { agent })
  agent.destroy()
  assert.deepEqual([first.text, second.text, second.localPort], ['POST', 'GET', first.localPort])
})

test('HTTP/1.1: a request with a large body may arrive while the previous response is being written', async () => {
  const large = '#'.repeat(1_000_000)
  await using server = await open(async (request) => {
    const { byteLength } = new Uint8Array(await request.arrayBuffer())
    return new Response(request.method === 'GET' ? large : `<${byteLength}>`)
  })
  const raw = await socket(server.port)
  let text = ''
  raw.setEncoding('latin1').on('data', (each: string) => {
    text += each
  })
  const rounds = 5
  const body = Buffer.alloc(200_000, 'y')
  for (let round = 1; round <= rounds; round++) {
    raw.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
    raw.write(Buffer.concat([Buffer.from(`POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${body.length}\r\n\r\n`), body]))
    await eventually(`the responses of round ${round}`, async () => raw.destroyed || text.split('<200000>').length > round)
    assert.equal(raw.destroyed, false, `cut in round ${round}`)
  }
  assert.equal(text.split('#').length - 1, rounds * large.length)
  raw.destroy()
})

test('HTTP/1.1: clients that do not read are closed when the responses of all are too large; others are answered', async () => {
  const large = new Uint8Array(limits.heldInAll / 8)
  const asked = new Set<Connection>()
  await using server = await open((request, connection) => {
    if (!request.url.endsWith('/large')) return new Response('small')
    asked.add(connection)
    return new Response(large)
  })
  const clients = []
  for (let number = 1; number <= 10; number++) {
    const client = await socket(server.port)
    client.on('error', () => {}).pause()
    client.write('GET /large HTTP/1.1\r\nHost: a\r\n\r\n')
    await eventually(`request ${number}`, async () => asked.size === number)
    clients.push(client)
  }
  assert.equal((await http1(server.url)).text, 'small')
  const [first] = clients
  assert.ok(first)
  first.resume()
  await within('the first client is closed', once(first, 'close'))
  assert.ok(first.bytesRead < large.length)
  for (const client of clients) client.destroy()
})

test('built-in classes of the process are not modified', async () => {
  const before = [globalThis.Request, globalThis.Response, globalThis.Headers]
  await using server = await open(echo)
  await http1(server.url)
  assert.deepEqual([globalThis.Request, globalThis.Response, globalThis.Headers], before)
})

test('a body can be read once', async () => {
  await using server = await open(async (request) => {
    const copy = request.clone()
    const texts = [await request.text(), await copy.text()]
    await assert.rejects(request.text(), TypeError)
    return new Response(`${texts} ${request.bodyUsed}`)
  })
  const { text } = await http1(server.url, { method: 'POST', body: 'abc' })
  assert.equal(text, 'abc,abc true')
})

test('a failing stream aborts the response instead of ending it', async () => {
  await using server = await open(
    () =>
      new Response(
        new ReadableStream({
          pull(controller) {
            controller.enqueue(new Uint8Array(1))
            controller.error(new Error('store is gone'))
          },
        }),
      ),
  )
  await assert.rejects(http1(server.url))
  const connection = session(server.url)
  await assert.rejects(http2(connection, { ':path': '/' }))
  connection.destroy()
})

test('events of a watch arrive one by one', async () => {
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined
  await using server = await open(
    () =>
      new Response(
        new ReadableStream<Uint8Array<ArrayBuffer>>({
          start(it) {
            controller = it
          },
        }),
      ),
  )
  const connection = session(server.url)
  const stream = connection.request({ ':path': '/' })
  await once(stream, 'response')
  for (const text of ['one', 'two', 'three']) {
    const arrival = once(stream, 'data')
    controller?.enqueue(new TextEncoder().encode(text))
    assert.equal(String((await arrival)[0]), text)
  }
  connection.destroy()
})

for (const [what, grace] of [
  ['some seconds', 5_000],
  ['longer than timers of the host are', 2 ** 32],
] as const)
  test(`close waits for requests in flight, ${what}, and accepts no others`, async () => {
    const [arrived, go] = [deferred(), deferred()]
    let waiting = 0
    await using server = await open(async ({ url }) => {
      if (url.endsWith('/slow')) {
        if (++waiting === 2) arrived.resolve()
        await go.promise
      }
      return new Response('done')
    })
    const agent = oneConnection()
    await http1(server.url, { agent })
    const connection = session(server.url)
    const slow = [http1(`${server.url}/slow`), http2(connection, { ':path': '/slow' })]
    await within('both requests', arrived.promise)
    const closed = server.close(grace)
    await delay(50)
    go.resolve()
    for (const { text } of await Promise.all(slow)) assert.equal(text, 'done')
    await closed
    await assert.rejects(http1(server.url), { code: 'ECONNREFUSED' })
    agent.destroy()
  })

test('close cuts requests that do not end in time', async () => {
  const cancelled = deferred()
  await using server = await open(() => new Response(new ReadableStream({ cancel: () => cancelled.resolve() })))
  const answer = http1(server.url)
  answer.catch(() => {})
  const connection = session(server.url)
  connection.on('error', () => {})
  const stream = connection.request({ ':path': '/' })
  stream.on('error', () => {})
  await once(stream, 'response')
  await server.close(50)
  await cancelled.promise
  await assert.rejects(answer)
})

test('HTTP/2: Connection: close becomes GOAWAY', async () => {
  await using server = await open(() => new Response('x', { headers: { Connection: 'close' } }))
  const connection = session(server.url)
  const goaway = once(connection, 'goaway')
  assert.equal((await http2(connection, { ':path': '/' })).text, 'x')
  await goaway
})

test('client certificates are passed on, from any issuer and on resumed sessions too', async () => {
  const subjects: string[] = []
  const stranger = issueAuthority('stranger', newKey(), Date.now())
  await using server = await open(
    async (_, { tls }) => {
      const [leaf] = tls?.peerCertificates ?? []
      subjects.push(leaf === undefined ? 'none' : new X509Certificate(leaf).subject)
      return new Response('x')
    },
    { clientAuthorities: [authority.certPem] },
  )
  await http1(server.url, client('jane'))
  const connection = session(server.url, client('joe', stranger))
  await http2(connection, { ':path': '/' })
  connection.close()
  const first = await socket(server.port, client('jim'))
  const [ticket] = await once(first, 'session')
  first.destroy()
  const second = await socket(server.port, { ...client('jim'), session: ticket })
  second.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
  await once(second, 'data')
  second.destroy()
  assert.deepEqual(subjects, ['O=testers\nCN=jane', 'O=testers\nCN=joe', 'O=testers\nCN=jim'])
})

const openssl = spawnSync('openssl', ['version']).status === 0
test('the names of the client CAs are sent', { skip: !openssl && 'needs openssl' }, async () => {
  await using server = await open(echo, { clientAuthorities: [authority.certPem] })
  const child = promisify(execFile)('openssl', ['s_client', '-connect', `127.0.0.1:${server.port}`])
  child.child.stdin?.end()
  const { stdout } = await child
  assert.match(stdout, /Acceptable client certificate CA names\s+CN ?= ?test-ca/)
})

test('the certificate depends on the server name (SNI)', async () => {
  const sni = [
    { ...issued('*.extracted.test', 'both.test'), names: [] },
    { ...issued('explicit'), names: ['both.test', '*.wild.test'] },
    { ...issued('exact'), names: ['one.wild.test'] },
  ]
  await using server = await open(echo, { sni })
  const subject = async (servername: string) => {
    const opened = await socket(server.port, { servername, rejectUnauthorized: false })
    const { CN } = opened.getPeerCertificate().subject
    opened.destroy()
    return CN
  }
  assert.equal(await subject('both.test'), 'explicit')
  assert.equal(await subject('a.extracted.test'), '*.extracted.test')
  assert.equal(await subject('two.wild.test'), 'explicit')
  assert.equal(await subject('ONE.wild.test'), 'exact')
  assert.equal(await subject('a.b.wild.test'), 'localhost')
  assert.equal(await subject('other.test'), 'localhost')
})

test('without a server name the certificate depends on the local address', async () => {
  await using server = await open(echo, { sni: [{ ...issued('by-address'), names: ['127.0.0.1'] }] })
  const opened = await socket(server.port, { rejectUnauthorized: false })
  assert.equal(opened.getPeerCertificate().subject.CN, 'by-address')
  opened.destroy()
  const named = await socket(server.port, { servername: 'other.test', rejectUnauthorized: false })
  assert.equal(named.getPeerCertificate().subject.CN, 'localhost', 'a client that sends a name gets the certificate for it')
  named.destroy()
})

test('reload changes the certificate of new connections; an invalid one is ignored', async () => {
  await using server = await open(echo)
  const subject = async () => {
    const opened = await socket(server.port, { rejectUnauthorized: false })
    const { CN } = opened.getPeerCertificate().subject
    opened.destroy()
    return CN
  }
  server.reload(issued('renewed'))
  assert.equal(await subject(), 'renewed')
  assert.throws(() => server.reload({ cert: 'broken', key: 'broken' }))
  assert.throws(() => server.reload({ key: issued('other').key }))
  assert.equal(await subject(), 'renewed')
})

test('the minimum TLS version and the cipher suites are applied', async () => {
  await using server = await open(echo, { minVersion: 'VersionTLS12', cipherSuites: ['TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384'] })
  const opened = await socket(server.port, { maxVersion: 'TLSv1.2' })
  assert.equal(opened.getCipher().standardName, 'TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384')
  opened.destroy()
  await using strict = await open(echo, { minVersion: 'VersionTLS13' })
  await assert.rejects(socket(strict.port, { maxVersion: 'TLSv1.2' }))
})

test('old TLS versions work if allowed', async () => {
  for (const [minVersion, version] of [
    ['VersionTLS10', 'TLSv1'],
    ['VersionTLS11', 'TLSv1.1'],
  ] as const) {
    await using old = await open(echo, { minVersion })
    const opened = await socket(old.port, { minVersion: 'TLSv1', maxVersion: version, ciphers: 'DEFAULT@SECLEVEL=0' })
    assert.equal(opened.getProtocol(), version)
    opened.destroy()
    const today = await socket(old.port)
    assert.equal(today.getProtocol(), 'TLSv1.3')
    today.destroy()
  }
})

test('rejects when the address is in use', async () => {
  await using server = await open(echo)
  await assert.rejects(open(echo, { port: server.port }), { code: 'EADDRINUSE' })
})

test('bodies of any length arrive complete, with any framing', async () => {
  await using server = await open(async (request) => new Response(String((await request.arrayBuffer()).byteLength)))
  const connection = session(server.url)
  for (const length of [0, 1, 16_384, 65_536, 262_143, 262_144, 262_145, 1_000_000]) {
    const body = new Uint8Array(length)
    const announced = { 'content-length': String(length) }
    const answers = [
      await http1(server.url, { method: 'POST', body, headers: announced }),
      await http1(server.url, { method: 'POST', body, headers: { 'transfer-encoding': 'chunked' } }),
      await http2(connection, { ':path': '/', ':method': 'POST', ...announced }, body),
      await http2(connection, { ':path': '/', ':method': 'POST' }, body),
    ]
    assert.deepEqual(
      answers.map(({ text }) => text),
      Array(4).fill(String(length)),
    )
  }
  connection.close()
})

test('whenSent is called once the response is sent or abandoned', async () => {
  const ends: string[] = []
  const large = new Uint8Array(4_000_000)
  const answers: Record<string, () => Response> = {
    '/small': () => new Response('ok'),
    '/reply': () => new Reply('ok'),
    '/large': () => new Reply(large),
    '/stream': () => new Response(new ReadableStream({ pull: (controller) => controller.enqueue(large) })),
    '/bad': () => new Reply('x', { headers: { 'x-y': 'a\nb' } }),
  }
  await using server = await open(async ({ url, method }, { whenSent }) => {
    const { pathname } = new URL(url)
    const response = answers[pathname]?.() ?? assert.fail(pathname)
    whenSent?.(response, () => ends.push(`${method} ${pathname}`))
    return response
  })
  for (const path of ['/small', '/reply', '/large', '/bad']) {
    const connection = session(server.url)
    ends.length = 0
    await http1(server.url + path)
    await http2(connection, { ':path': path })
    assert.deepEqual(ends, [`GET ${path}`, `GET ${path}`])
    connection.close()
  }
  for (const path of ['/large', '/stream']) {
    ends.length = 0
    const opened = await socket(server.port)
    opened.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`)
    const connection = session(server.url)
    const stream = connection.request({ ':path': path })
    await Promise.all([once(opened, 'data'), once(stream, 'data')])
    stream.pause()
    opened.pause()
    assert.deepEqual(ends, [], 'not before')
    stream.on('error', () => {}).close(8)
    opened.destroy()
    await eventually('both responses ended', async () => ends.length === 2)
    connection.close()
  }
})
