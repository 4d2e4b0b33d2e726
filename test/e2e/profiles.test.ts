/** Profiles of a daemon: for authorized users, and on its debugging socket. */
import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { statSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { type Daemon, startDaemon } from '../support/daemon.ts'
import { readProfile } from '../support/pprof.ts'
import { temporaryDirectory } from '../support/temporary.ts'
import { eventually } from '../support/wait.ts'

const directory = temporaryDirectory()
const socket = join(directory.path, 'debug.sock')
let daemon: Daemon
before(async () => {
  daemon = await startDaemon({ directory: directory.path, flags: [`--debug-socket-path=${socket}`, '--contention-profiling'] })
})
after(async () => {
  await daemon.stop()
  directory.remove()
})

function askSocket(path: string): Promise<{ status: number; body: Uint8Array<ArrayBuffer> }> {
  return new Promise((resolve, reject) => {
    const asked = request({ socketPath: socket, path, agent: false }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body: new Uint8Array(Buffer.concat(chunks)) }))
    })
    asked.on('error', reject)
    asked.end()
  })
}

test('the socket is for its owner, and answers without credentials', async () => {
  assert.equal(statSync(socket).mode & 0o777, 0o600)
  const { status, body } = await askSocket('/debug/pprof/')
  assert.equal(status, 200)
  assert.match(new TextDecoder().decode(body), /goroutine/)
  for (const path of ['/', '/metrics', '/api/v1/secrets', '/debug']) assert.equal((await askSocket(path)).status, 404, path)
})

test('the server itself asks for rights', async () => {
  const anonymous = spawnSync('curl', ['-sk', '-o', '/dev/null', '-w', '%{http_code}', `${daemon.url}/debug/pprof/`], { encoding: 'utf8' })
  assert.equal(anonymous.stdout, '403')
  assert.equal((await daemon.fetch('/debug/pprof/')).status, 200)
})

/** What `go tool pprof -top` says about a profile; undefined without Go. */
function topOf(name: string, profile: Uint8Array): string | undefined {
  if (spawnSync('go', ['version']).status !== 0) return undefined
  const path = join(directory.path, `${name}.pb.gz`)
  writeFileSync(path, profile)
  return execFileSync('go', ['tool', 'pprof', '-top', '-symbolize=none', path], { encoding: 'utf8', timeout: 300_000 })
}
const noGo = 'no Go on PATH: go tool pprof was not tried'

test('a CPU profile names functions of the sources, and go tool pprof reads it', async (t) => {
  /** A profile of the time in which the server answers requests. */
  async function profiled() {
    let isTaken = false
    const taking = askSocket('/debug/pprof/profile?seconds=1').finally(() => {
      isTaken = true
    })
    while (!isTaken) await (await daemon.fetch('/api/v1/namespaces/default/configmaps')).text()
    return taking
  }
  // V8 loses samples while its thread waits for a processor.
  const body = await eventually('functions of the core in a profile', async () => {
    const { body } = await profiled()
    const { samples } = await readProfile(body)
    return samples.some(({ stack }) => stack.some((frame) => /^core\/.*\.ts:\d+$/.test(frame.split(' ').at(-1) ?? ''))) && body
  })
  const top = topOf('cpu', body)
  if (top === undefined) t.diagnostic(noGo)
  else assert.match(top, /^Type: cpu$/m)
})

test('every profile of the index is taken, or says why not', async (t) => {
  let hasGo = true
  const index = new TextDecoder().decode((await askSocket('/debug/pprof/')).body)
  const names = [...index.matchAll(/<a href='(\w+)\?debug=1'>/g)].map(([, name = '']) => name)
  assert.deepEqual(
    ['allocs', 'block', 'cmdline', 'goroutine', 'heap', 'profile', 'trace'].filter((name) => !names.includes(name)),
    [],
  )
  for (const name of names) {
    const { status, body } = await askSocket(`/debug/pprof/${name}?seconds=0.2`)
    const text = new TextDecoder().decode(body)
    if (status !== 200) {
      assert.equal(status, 501, name)
      assert.match(text, /^Could not take profile \w+: \w.*\n$/)
    } else if (name === 'cmdline') assert.match(text, /bin\.js\0.*--contention-profiling/)
    else if (name === 'trace') assert.ok((JSON.parse(text) as { traceEvents: unknown[] }).traceEvents.length > 0)
    else {
      assert.ok((await readProfile(body)).types.length > 0, name)
      const top = topOf(name, body)
      hasGo = top !== undefined
      if (top !== undefined) assert.match(top, /^Type: \w+/m, name)
    }
  }
  if (!hasGo) t.diagnostic(noGo)
})

test('watches are in flight; their queries are not shown', async () => {
  const leaving = new AbortController()
  const watching = daemon.fetch('/api/v1/secrets?watch=1&labelSelector=hush', { signal: leaving.signal })
  const { body } = await watching
  const text = new TextDecoder().decode((await askSocket('/debug/pprof/goroutine?debug=2')).body)
  assert.match(text, /\[watch secrets, \d+\.\d{3} s\]:\n\tGET \/api\/v1\/secrets\n/)
  assert.doesNotMatch(text, /hush/)
  leaving.abort()
  await body?.cancel().catch(() => undefined)
})

test('a file that is no socket stays, and stops the start', async () => {
  const path = join(directory.path, 'file')
  writeFileSync(path, 'precious')
  await assert.rejects(startDaemon({ flags: [`--debug-socket-path=${path}`] }), /error: --debug-socket-path: .*file: /)
})
