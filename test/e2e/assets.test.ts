/** `apiserver assets`: its folder has what a test environment starts. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { bundle, runProgram } from '../support/daemon.ts'
import { freePort } from '../support/free-port.ts'
import { startAs } from '../support/named-program.ts'
import { temporaryDirectory } from '../support/temporary.ts'

test('kube-apiserver on etcd, both from the folder, as envtest starts them', async () => {
  const { path, remove } = temporaryDirectory()
  const folder = join(path, "the folder's")
  const { code, stdout, stderr } = await runProgram(['assets', folder, '--release', '1.34'])
  assert.equal(code, 0, stderr)
  assert.match(stdout, /^export KUBEBUILDER_ASSETS='.*'\n/)
  // Again, over what is there.
  assert.equal((await runProgram(['assets', folder, '--release=1.34'])).code, 0)
  const [port, clients] = [await freePort(), await freePort()]
  const url = `http://127.0.0.1:${clients}`
  const etcd = await startAs(
    [join(folder, 'etcd')],
    [`--listen-client-urls=${url}`, `--advertise-client-urls=${url}`, `--data-dir=${join(path, 'etcd')}`, '--unsafe-no-fsync=true'],
  )
  try {
    await etcd.answers(async () => (await fetch(`${url}/health`)).ok)
    const server = await startAs(
      [join(folder, 'kube-apiserver')],
      [
        `--etcd-servers=${url}`,
        `--secure-port=${port}`,
        '--bind-address=127.0.0.1',
        `--cert-dir=${join(path, 'pki')}`,
        '--authorization-mode=RBAC',
        '--allow-privileged=true',
      ],
    )
    const curl = (target: string) => execFileSync('curl', ['-sk', `https://127.0.0.1:${port}${target}`], { encoding: 'utf8' })
    await server.answers(async () => curl('/readyz') === 'ok')
    assert.equal(JSON.parse(curl('/version')).emulationMinor, '34')
    await server.stop()
  } finally {
    await etcd.stop()
  }
  remove()
})

test('both programs print the same help when envtest asks, from a file, as when they are asked otherwise', async () => {
  const { path, remove } = temporaryDirectory()
  assert.equal((await runProgram(['assets', path])).code, 0)
  const printed = (name: string, flag: string) => execFileSync(join(path, name), [flag], { encoding: 'utf8' })
  const kept = readdirSync(join(bundle, '..', 'help')).map((file) => file.replace(/\.txt$/, ''))
  assert.deepEqual(kept.toSorted(), ['etcd', 'kube-apiserver'])
  for (const name of kept) {
    const text = printed(name, '--help')
    assert.equal(text, readFileSync(join(bundle, '..', 'help', `${name}.txt`), 'utf8'))
    assert.equal(text, printed(name, '-h'), name)
  }
  // Without what follows, envtest would pass a flag of old releases, or sync files.
  assert.doesNotMatch(printed('kube-apiserver', '--help'), /^\s*--insecure-port\b/m)
  assert.match(printed('etcd', '--help'), /^\s*--unsafe-no-fsync\b/m)
  remove()
})

test('a file of another program is not replaced', async () => {
  const { path, remove } = temporaryDirectory()
  writeFileSync(join(path, 'etcd'), 'of another program')
  const { code, stderr } = await runProgram(['assets', path])
  remove()
  assert.equal(code, 1)
  assert.match(stderr, /^error: assets: .*etcd exists already\n$/)
})
