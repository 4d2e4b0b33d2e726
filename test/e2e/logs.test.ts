/** The log of the program: formats, streams, verbosity that changes while it runs, each request, and the files that it serves. */
import assert from 'node:assert/strict'
import { lstatSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { type Daemon, runProgram, startDaemon } from '../support/daemon.ts'
import { eventually } from '../support/wait.ts'

const memory = ['--data-dir=:memory:', '--controllers=']
/** klog's header, and the message. */
const textLine = /^[IWE]\d{4} \d\d:\d\d:\d\d\.\d{6} +\d+ [\w.-]+\.ts:\d+\] ./

/** Lines of one stream, without the program's own last word of a start. */
const linesOf = (text: string) => text.split('\n').filter((line) => line !== '' && !line.startsWith('serving on port'))

const put = async (daemon: Daemon, level: string) => {
  const response = await daemon.fetch('/debug/flags/v', { method: 'PUT', body: level })
  return [response.status, await response.text()]
}

test('text by default: each request from verbosity 3 on, which changes while the program runs', async () => {
  const daemon = await startDaemon({ flags: memory })
  try {
    const ask = async (id: string) => {
      const headers = { 'audit-id': id, 'user-agent': 'a "tester"' }
      return (await daemon.fetch('/api/v1/namespaces/default?pretty=true&x=y', { headers })).text()
    }
    await ask('too-early')
    assert.deepEqual(await put(daemon, '3'), [200, 'successfully set klog.logging.verbosity to 3\n'])
    await ask('logged')
    await eventually('the line of the request', async () => daemon.log().includes('audit-ID="logged"'))
    assert.deepEqual(await put(daemon, '0'), [200, 'successfully set klog.logging.verbosity to 0\n'])
    await ask('too-late')
    assert.deepEqual(await put(daemon, '4294967296'), [400, 'strconv.ParseUint: parsing "4294967296": value out of range\n'])
    assert.deepEqual(await put(daemon, '-1'), [400, 'strconv.ParseUint: parsing "-1": invalid syntax\n'])
    assert.equal((await daemon.fetch('/debug/flags/v')).status, 406)
    assert.match(await (await daemon.fetch('/debug/flags')).text(), /<tr>v<br>/)
    await daemon.stop()
    const lines = linesOf(daemon.log())
    for (const line of lines) assert.match(line, textLine)
    const requests = lines.filter((line) => line.includes('] "HTTP" ')).filter((line) => !line.includes('/debug/flags'))
    assert.equal(requests.length, 1, requests.join('\n'))
    assert.match(
      requests[0] ?? '',
      /^I.* request-log\.ts:\d+\] "HTTP" verb="GET" URI="\/api\/v1\/namespaces\/default\?pretty=true&x=REDACTED" latency="[\d.]+(µs|ms)" userAgent="a \\"tester\\"" audit-ID="logged" srcIP="127\.0\.0\.1:\d+" apf_pl="exempt" apf_fs="exempt" apf_iseats=1 apf_fseats=0 apf_additionalLatency="0s" apf_execution_time="[\d.]+(µs|ms)" resp=200$/,
    )
  } finally {
    await daemon.stop('SIGKILL')
  }
})

test('JSON, in two streams with a buffer that is written in time and at the end; verbosity by file', async () => {
  const alpha = ['--feature-gates=LoggingAlphaOptions=true', '--log-flush-frequency=50ms']
  const json = ['--logging-format=json', '--log-json-split-stream', '--log-json-info-buffer-size=1Mi', '--v=4']
  const daemon = await startDaemon({ flags: [...memory, ...alpha, ...json] })
  const of = (text: string) => linesOf(text).map((line) => JSON.parse(line) as { readonly [name: string]: unknown })
  await eventually('the buffer is written', async () => daemon.output().includes('"msg":"serving"'))
  await daemon.stop()
  const output = daemon.output().slice(0, -daemon.log().length)
  assert.deepEqual(of(daemon.log()), [], 'no errors')
  const lines = of(output)
  assert.equal(lines.at(-1)?.['msg'], 'shutdown: ended')
  for (const { ts, caller, msg, v } of lines) {
    assert.ok(typeof ts === 'number' && typeof msg === 'string' && typeof v === 'number')
    assert.match(String(caller), /^[\w-]+\/[\w.-]+\.ts:\d+$/)
  }
  assert.ok(lines.some(({ msg, resp }) => msg === 'HTTP' && resp === 201))

  const some = await startDaemon({ flags: [...memory, '--vmodule=request-*=3,none=9'] })
  await (await some.fetch('/version')).text()
  await some.stop()
  const told = linesOf(some.log())
  assert.ok(told.some((line) => line.includes('"HTTP" verb="GET" URI="/version"')))
  assert.ok(!told.some((line) => line.includes('authentication of aggregated API servers published')), 'a debug message of another file')
})

test('text in two streams: messages wait in the buffer until it is full, or for its time', async () => {
  const split = ['--feature-gates=LoggingAlphaOptions=true', '--log-text-split-stream', '--v=3']
  const ask = async (daemon: Daemon, count: number) => {
    for (let n = 0; n < count; n++) await (await daemon.fetch('/version', { headers: { 'audit-id': `request-${n}` } })).text()
  }
  const written = (daemon: Daemon) => daemon.output().slice(0, daemon.output().length - daemon.log().length)
  const full = await startDaemon({ flags: [...memory, ...split, '--log-text-info-buffer-size=16Ki', '--log-flush-frequency=1h'] })
  assert.ok(!written(full).includes('"serving"'), 'it waits in the buffer')
  await ask(full, 100)
  await eventually('a full buffer is written', async () => written(full).includes('"serving"'))
  assert.ok(!written(full).includes('audit-ID="request-99"'), 'the rest waits')
  await full.stop()
  assert.ok(written(full).includes('audit-ID="request-99"'), 'the end writes what waits')
  assert.ok(
    linesOf(full.log()).every((line) => !line.startsWith('I')),
    'standard error has no messages',
  )
  for (const line of linesOf(written(full))) assert.match(line, textLine)

  const timed = await startDaemon({ flags: [...memory, ...split, '--log-text-info-buffer-size=1Mi', '--log-flush-frequency=20ms'] })
  await eventually('the time is over', async () => written(timed).includes('"serving"'))
  await timed.stop()
})

test('flags of the log that do not fit', async () => {
  const refused: readonly (readonly [flags: readonly string[], error: RegExp])[] = [
    [['--log-text-split-stream'], /--log-text-split-stream needs --feature-gates=LoggingAlphaOptions=true/],
    [['--log-json-info-buffer-size=1K'], /--log-json-info-buffer-size needs --feature-gates=LoggingAlphaOptions=true/],
    [['--logging-format=json', '--vmodule=a=1'], /--vmodule needs --logging-format=text/],
    [
      ['--logging-format=json', '--feature-gates=LoggingBetaOptions=false'],
      /--logging-format=json needs --feature-gates=LoggingBetaOptions=true/,
    ],
    [['--log-flush-frequency=0'], /--log-flush-frequency: .*must be at least 1ns/],
    [['--v=2147483648'], /--v: .*must be between 0 and 2147483647/],
    [['--vmodule=a'], /--vmodule: .*must be pattern=N/],
  ]
  const ends = await Promise.all(refused.map(([flags]) => runProgram(flags)))
  refused.forEach(([, error], at) => {
    assert.match(ends[at]?.stderr ?? '', error)
    assert.equal(ends[at]?.code, 1)
  })
})

const directory = '/var/log'
/** A readable file of the host's log directory. */
function someFile(): string | undefined {
  try {
    return readdirSync(directory).find((name) => {
      // A link may lead out of the directory.
      const found = lstatSync(join(directory, name))
      return found.isFile() && found.size > 0 && readFileSync(join(directory, name)).length > 0
    })
  } catch {
    return undefined
  }
}

test('files of /var/log at /logs, and nothing else', async () => {
  const without = await startDaemon({ flags: memory })
  assert.equal((await without.fetch('/logs/')).status, 404)
  await without.stop()

  const daemon = await startDaemon({ flags: [...memory, '--enable-logs-handler'] })
  try {
    const get = async (path: string, init: RequestInit = {}) => {
      const response = await daemon.fetch(path, init)
      return { status: response.status, headers: response.headers, bytes: Buffer.from(await response.arrayBuffer()) }
    }
    const { paths } = JSON.parse(String((await get('/')).bytes)) as { readonly paths: readonly string[] }
    assert.ok(paths.includes('/logs') && !paths.includes('/debug/flags'))
    const list = await get('/logs/')
    assert.equal(list.status, 200)
    assert.match(list.headers.get('content-type') ?? '', /^text\/html/)
    const start = await get('/logs')
    assert.deepEqual([start.status, start.headers.get('location')], [301, 'logs/'])
    const name = someFile()
    if (name === undefined) console.log(`no readable file in ${directory}: only the listing is checked`)
    else {
      assert.ok(list.bytes.includes(`>${name}</a>`))
      const expected = readFileSync(join(directory, name))
      const whole = await get(`/logs/${encodeURIComponent(name)}`)
      assert.equal(whole.status, 200)
      assert.ok(whole.bytes.subarray(0, expected.length).equals(expected.subarray(0, whole.bytes.length)))
      const part = await get(`/logs/${encodeURIComponent(name)}`, { headers: { range: 'bytes=0-0' } })
      assert.deepEqual([part.status, part.bytes.length], [206, 1])
    }
    assert.equal((await get('/logs/', { method: 'POST' })).status, 405)
    const ups = ['..', '%2e%2e', '.%2e', '%2E.', '..%2f..', '%2e%2e%2f%2e%2e', '..%5c..', '....', '%252e%252e', '..%00', '.', '']
    for (const up of ups)
      for (const tail of ['etc/passwd', '../etc/passwd', '%2e%2e/etc/passwd', '/etc/passwd', '%2fetc%2fpasswd']) {
        const { status, bytes } = await get(`/logs/${up}/${tail}`)
        assert.ok(status === 400 || status === 404 || status === 301, `${up}/${tail}: ${status}`)
        assert.ok(!bytes.includes('root:'), `${up}/${tail}`)
      }
    const anonymous = await fetchAnonymously(`${daemon.url}/logs/`)
    assert.equal(anonymous, 403)
  } finally {
    await daemon.stop()
  }
})

/** The status that a client without credentials gets. */
async function fetchAnonymously(url: string): Promise<number> {
  const { get } = await import('node:https')
  return new Promise((resolve, reject) => {
    get(url, { rejectUnauthorized: false, agent: false }, (response) => {
      response.resume()
      resolve(response.statusCode ?? 0)
    }).on('error', reject)
  })
}
