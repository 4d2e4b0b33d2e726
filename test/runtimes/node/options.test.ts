import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { choosePlugins, defaultAdmissionPlugins } from '../../../core/admission/plugins/index.ts'
import { parseFlags } from '../../../core/config/parse.ts'
import { createMetrics } from '../../../core/meta/metrics.ts'
import type { Ports } from '../../../core/ports.ts'
import { newKey } from '../../../runtimes/node/issue.ts'
import { serverOptions } from '../../../runtimes/node/options.ts'
import { serviceAccountKeys } from '../../../runtimes/node/service-accounts.ts'
import { temporaryDirectory } from '../../support/temporary.ts'

function chosen(...flags: string[]): string[] {
  const { enabledPlugins = [], disabledPlugins = [] } = serverOptions(parseFlags(flags, 'apiserver'))
  return choosePlugins(enabledPlugins, disabledPlugins).map(({ name }) => name)
}

test('admission plugins: more or fewer than the defaults; exactly the named ones with the deprecated flag', () => {
  const usual = chosen()
  assert.ok(usual.includes('Priority') && !usual.includes('AlwaysPullImages'), usual.join())
  assert.deepEqual(
    usual.filter((name) => !defaultAdmissionPlugins.some((each) => each === name)),
    [],
    'only plugins of the specification run by default',
  )
  assert.deepEqual(new Set(chosen('--enable-admission-plugins=AlwaysPullImages')), new Set([...usual, 'AlwaysPullImages']))
  assert.deepEqual(
    chosen('--disable-admission-plugins=Priority'),
    usual.filter((name) => name !== 'Priority'),
  )
  assert.deepEqual(chosen('--admission-control=Priority,NamespaceLifecycle'), ['NamespaceLifecycle', 'Priority'])
})

test('store keys begin with one slash', () => {
  for (const [given, prefix] of [
    ['/registry', '/registry'],
    ['noslash', '/noslash'],
    ['//a//b/', '/a/b'],
    ['/', ''],
  ] as const)
    assert.equal(serverOptions(parseFlags([`--kvstore-prefix=${given}`], 'apiserver')).prefix, prefix)
})

test('by default, service account tokens are verified with the serving key and the signing key', async () => {
  const { path, remove } = temporaryDirectory()
  const [serving, own, other] = [newKey(), newKey(), newKey()]
  writeFileSync(join(path, 'tls.key'), serving)
  writeFileSync(join(path, 'other.key'), other)
  const keysOf = (...argv: string[]) =>
    serviceAccountKeys(parseFlags(argv, 'apiserver'), own, {} as Ports, createMetrics()).then((keys) =>
      'verificationKeys' in keys ? keys.verificationKeys : [],
    )
  const tls = ['--tls-cert-file=c', `--tls-private-key-file=${join(path, 'tls.key')}`]
  assert.deepEqual(await keysOf(), [own])
  assert.deepEqual(await keysOf(...tls), [serving, own])
  assert.deepEqual(await keysOf(...tls, `--service-account-key-file=${join(path, 'other.key')}`), [other])
  remove()
})
