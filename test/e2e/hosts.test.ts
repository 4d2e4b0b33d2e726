/** `apiserver hosts` as a program: what survives its end, and clients in other languages. */
import assert from 'node:assert/strict'
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, cpSync, existsSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { isExecutable } from '../../runtimes/on-path.ts'
import { clientOf, filesIn } from '../runtimes/node/hosts/support.ts'
import { killedAtExit } from '../support/child.ts'
import { buildClientGo, withoutClientGo } from '../support/client-go.ts'
import { bundle, runProgram } from '../support/daemon.ts'
import { freePort } from '../support/free-port.ts'
import { kubectls } from '../support/kubectl.ts'
import { blockBelow } from '../support/page.ts'
import { root } from '../support/root.ts'
import { run } from '../support/run.ts'
import { temporaryDirectory } from '../support/temporary.ts'
import { within } from '../support/wait.ts'

const list = '/hosts/v1/servers'
const configMaps = (server: string) => `/servers/${server}/api/v1/namespaces/default/configmaps`

/** Starts the program; resolves when it serves. */
async function start(directory: string, ...flags: readonly string[]) {
  const argv = [bundle, 'hosts', '--secure-port=0', ...filesIn(directory), ...flags]
  const child: ChildProcess = killedAtExit(spawn(process.execPath, argv, { cwd: root, stdio: ['ignore', 'ignore', 'pipe'] }))
  const ended = once(child, 'close')
  let log = ''
  const serving = new Promise<string>((resolve, reject) => {
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      log += text
      const [, url] = /serving on (\S+);/.exec(log) ?? []
      if (url !== undefined) resolve(url)
    })
    ended.then(() => reject(new Error(log)), reject)
  })
  const client = clientOf(await within('start of hosts', serving), directory)
  return {
    ...client,
    log: () => log,
    async stop(signal: 'SIGTERM' | 'SIGKILL') {
      client.close()
      child.kill(signal)
      await within('end of hosts', ended)
    },
  }
}

test('with a data directory all servers survive kill -9, with their keys, clocks, snapshots and webhooks', async () => {
  const temporary = temporaryDirectory('hosts')
  const flags = [`--data-dir=${join(temporary.path, 'data')}`, '--idle-timeout=200ms']
  try {
    const first = await start(temporary.path, ...flags)
    await first.ask('POST', list, { name: 'one' })
    const { token } = await first.kubeconfig('one')
    const written = await first.ask('POST', configMaps('one'), { metadata: { name: 'before' } }, { token })
    assert.equal(written.code, 201)
    assert.equal((await first.ask('POST', `${list}/one/snapshot`, { name: 'kept' })).code, 201)
    assert.equal((await first.ask('POST', `${list}/one/fork`, { name: 'two', ttlSeconds: 3600 })).code, 201)
    const two = await first.kubeconfig('two')
    await first.ask('POST', `${list}/one/clock`, { advanceSeconds: 86_400 })
    const refusing = {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingWebhookConfiguration',
      metadata: { name: 'refusing' },
      webhooks: [
        {
          name: 'refusing.example.com',
          rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['DELETE'], resources: ['configmaps'] }],
          admissionReviewVersions: ['v1'],
          sideEffects: 'None',
          clientConfig: { url: 'https://refusing.example.com' },
        },
      ],
    }
    const answers = { 'refusing.example.com': { allowed: false, status: { message: 'not here' } } }
    assert.equal((await first.ask('POST', `${list}/one/webhooks`, { manifests: [refusing], answers })).code, 201)
    // Writes that are acknowledged count, whatever follows.
    const many = await Promise.all(
      Array.from({ length: 50 }, (_, at) => first.ask('POST', configMaps('one'), { metadata: { name: `many-${at}` } }, { token })),
    )
    assert(many.every(({ code }) => code === 201))
    await first.stop('SIGKILL')
    // What is left of a server when the process ends while it is being made.
    const folders = join(temporary.path, 'data/servers')
    cpSync(join(folders, 'one'), join(folders, 'three.new'), { recursive: true })

    const second = await start(temporary.path, ...flags)
    assert.deepEqual(readdirSync(folders).sort(), ['one', 'two'])
    const names = (await second.ask('GET', list)).body.servers.map(({ name }) => name)
    assert.deepEqual(names, ['one', 'two'])
    const found = await second.ask('GET', configMaps('one'), undefined, { token })
    assert.equal(found.body.items.length, 51)
    assert.equal(found.body.items[0]?.metadata.uid, written.body.metadata.uid)
    const refused = await second.ask('DELETE', `${configMaps('one')}/before`, undefined, { token })
    assert.match(refused.body.message, /refusing.example.com.*denied the request: not here/)
    const { time } = (await second.ask('POST', `${list}/one/clock`, {})).body
    assert(Date.parse(time) - Date.now() > 86_000_000, time)
    assert.equal((await second.ask('GET', configMaps('two'), undefined, { token: two.token })).body.items.length, 1)
    assert.equal((await second.ask('POST', `${list}/one/restore`, { snapshot: 'kept' })).code, 200)
    assert.equal((await second.ask('GET', configMaps('one'), undefined, { token })).body.items.length, 1)
    assert.equal((await second.ask('DELETE', `${list}/two`)).code, 200)
    await second.stop('SIGKILL')

    const third = await start(temporary.path, ...flags)
    assert.equal((await third.ask('GET', configMaps('one'), undefined, { token })).body.items.length, 1)
    assert.equal((await third.ask('DELETE', `${list}/one`)).code, 200)
    assert.deepEqual(readdirSync(join(temporary.path, 'data/servers')), [])
    await third.stop('SIGTERM')
    assert.equal(third.log().split('\n').length, 2, third.log())
  } finally {
    temporary.remove()
  }
})

test('the token is made with mode 0600; a short one, and a directory in use, are refused', async () => {
  const temporary = temporaryDirectory('hosts')
  try {
    const data = join(temporary.path, 'data')
    const first = await start(temporary.path, `--data-dir=${data}`)
    assert.equal(statSync(join(temporary.path, 'token')).mode & 0o777, 0o600)
    assert.equal(statSync(join(data, 'pki/ca.key')).mode & 0o777, 0o600)
    const second = await runProgram(['hosts', '--secure-port=0', ...filesIn(temporary.path), `--data-dir=${data}`])
    assert.deepEqual([second.code, /--data-dir: .*in use by process/.test(second.stderr)], [1, true], second.stderr)
    const taken = await runProgram(['hosts', `--secure-port=${new URL(first.url).port}`, ...filesIn(temporary.path)])
    assert.match(taken.stderr, /--secure-port: port \d+ of 127.0.0.1 is in use/)
    await first.stop('SIGTERM')
    assert.ok(existsSync(join(temporary.path, 'token')))
  } finally {
    temporary.remove()
  }
})

test("README's commands", { skip: kubectls().length === 0 && 'no kubectl' }, async () => {
  const temporary = temporaryDirectory('hosts')
  try {
    const program = join(temporary.path, 'apiserver')
    writeFileSync(program, `#!/bin/sh\nexec ${process.execPath} ${bundle} "$@"\n`)
    chmodSync(program, 0o755)
    const commands = blockBelow('README.md', 'Many servers').replaceAll('6443', String(await freePort()))
    const env = { ...process.env, PATH: `${temporary.path}:${process.env['PATH']}`, HOME: temporary.path }
    const { code, stdout, stderr } = await run('sh', ['-ec', commands], { cwd: temporary.path, env }, 60_000)
    assert.equal(code, 0, stdout + stderr)
    assert.match(stdout, /^ok/)
    assert.match(stdout, /team +Active/)
    assert.match(stdout, /\{"name":"test-1"\}\n$/)
  } finally {
    temporary.remove()
  }
})

test('client-go: informers, pages in protobuf, apply, definitions; another server sees nothing of it', {
  skip: withoutClientGo,
}, async () => {
  const temporary = temporaryDirectory('hosts')
  const here = await start(temporary.path)
  try {
    await here.ask('POST', list, { name: 'here' })
    await here.ask('POST', `${list}/here/fork`, { name: 'other' })
    const files = [await here.kubeconfig('here'), await here.kubeconfig('other', '?by=host')].map(({ path }) => path)
    const { code, stdout, stderr } = await run(buildClientGo(temporary.path), files, {}, 150_000)
    assert.deepEqual([code, stdout], [0, 'done\n'], stderr)
  } finally {
    await here.stop('SIGTERM')
    temporary.remove()
  }
})

/** A client of an example: how it is run, and why it can't be. */
interface Example {
  readonly name: string
  readonly skip: string | false
  readonly command: (folder: string) => readonly [string, ...string[]]
}

const python = ['python3', '/usr/bin/python3'].find((path) => spawnSync(path, ['-c', 'import kubernetes, pytest']).status === 0)
const go = ['/opt/sid/root/usr/lib/go-1.26/bin/go', '/usr/bin/go'].find(isExecutable)
const javac = ['/usr/bin/javac'].find(isExecutable)

/** What the rule needs of JUnit, which is not on every machine, and a program that uses it as JUnit does. */
const javaFiles: { readonly [file: string]: string } = {
  'ExternalResource.java': `package org.junit.rules;
public abstract class ExternalResource {
  protected void before() throws Throwable {}
  protected void after() {}
}
`,
  'Runs.java': `public class Runs extends HostsRule {
  public static void main(String[] arguments) throws Throwable {
    Runs rule = new Runs();
    rule.before();
    if (!rule.kubeconfig().contains("token")) throw new AssertionError(rule.kubeconfig());
    rule.after();
  }
}
`,
}

const examples: readonly Example[] = [
  {
    name: 'pytest',
    skip: python === undefined && 'no Python with kubernetes and pytest',
    command: (folder) => [python ?? '', '-m', 'pytest', '-q', '-p', 'no:cacheprovider', folder],
  },
  {
    name: 'Go',
    skip: go === undefined && 'no Go',
    command: (folder) => ['sh', '-ec', `cd ${folder} && ${go} mod init example.com/hosts && ${go} test ./...`],
  },
  {
    name: 'JUnit',
    skip: javac === undefined && 'no Java',
    command: (folder) => ['sh', '-ec', `cd ${folder} && javac -d classes *.java && java -cp classes Runs`],
  },
]

for (const { name, skip, command } of examples)
  test(`the example for ${name}`, { skip }, async () => {
    const temporary = temporaryDirectory('hosts')
    const here = await start(temporary.path)
    try {
      const folder = join(temporary.path, 'example')
      cpSync(join(root, 'wrangler-free-examples/hosts'), folder, { recursive: true })
      for (const [file, text] of Object.entries(javaFiles)) writeFileSync(join(folder, file), text)
      const [program, ...args] = command(folder)
      const env = {
        ...process.env,
        HOSTS_URL: here.url,
        HOSTS_FILES: temporary.path,
        GOFLAGS: '-mod=mod',
        GOTOOLCHAIN: 'local',
        GOPROXY: 'off',
      }
      const { code, stdout, stderr } = await run(program, args, { cwd: temporary.path, env }, 300_000)
      assert.equal(code, 0, stdout + stderr)
      assert.deepEqual((await here.ask('GET', list)).body.servers, [], 'nothing is left')
    } finally {
      await here.stop('SIGTERM')
      temporary.remove()
    }
  })
