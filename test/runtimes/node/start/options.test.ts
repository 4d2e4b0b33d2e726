import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { choosePlugins, defaultAdmissionPlugins } from '../../../../core/admission/plugins/index.ts'
import { flagConflicts } from '../../../../core/flags/exclusions.ts'
import { FlagError } from '../../../../core/flags/flag.ts'
import { type ParsedFlags, parseFlags } from '../../../../core/flags/parse.ts'
import { flags } from '../../../../core/flags/rows/index.ts'
import { createMetrics } from '../../../../core/meta/metrics/registry.ts'
import { validateServerOptions } from '../../../../core/options/index.ts'
import type { Ports } from '../../../../core/ports.ts'
import type { ServerOptions } from '../../../../core/server.ts'
import { newKey } from '../../../../runtimes/node/pki/issue.ts'
import { serviceAccountKeys } from '../../../../runtimes/node/pki/service-accounts.ts'
import { serviceAccountOptions } from '../../../../runtimes/node/start/authentication-options.ts'
import { serverOptions } from '../../../../runtimes/node/start/options.ts'
import { temporaryDirectory } from '../../../support/temporary.ts'

function chosen(...flags: string[]): string[] {
  const { enable = [], disable = [] } = serverOptions(parseFlags(flags, 'apiserver')).admissionPlugins ?? {}
  return choosePlugins(enable, disable).map(({ name }) => name)
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

test('options from every valid command line are valid', () => {
  const numbers = ['-1', '0', '1', '7', '0.02', '65535', '2147483647', '-1s', '0s', '1ns', '1ms', '1h', '87600h']
  const texts = [
    'application/yaml',
    'application/vnd.kubernetes.protobuf',
    '',
    '/',
    'RBAC',
    'Node,RBAC',
    'v1',
    '::1',
    '30000-30001',
    'max-age=1',
  ]
  let valid = 0
  for (const name of Object.keys(flags))
    for (const text of [...numbers, ...texts]) {
      const argv = [`--${name}=${text}`]
      let parsed: ParsedFlags
      try {
        parsed = parseFlags(argv, 'apiserver')
        if (flagConflicts(parsed).length > 0) continue
      } catch (error) {
        assert(error instanceof FlagError)
        continue
      }
      let options: ServerOptions
      try {
        options = serverOptions(parsed)
      } catch (error) {
        assert(error instanceof FlagError)
        continue
      }
      validateServerOptions(argv.join(), options)
      valid++
    }
  assert(valid > 500, `${valid} command lines`)
})

test('less than one worker of --delete-collection-workers counts as one', () => {
  const workers = (text: string) => serverOptions(parseFlags([`--delete-collection-workers=${text}`], 'apiserver')).deleteCollectionWorkers
  assert.deepEqual(['-1', '0', '1', '7'].map(workers), [1, 1, 1, 7])
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
    serviceAccountKeys(serviceAccountOptions(parseFlags(argv, 'apiserver')), own, {} as Ports, createMetrics()).then((keys) =>
      'verificationKeys' in keys ? keys.verificationKeys : [],
    )
  const tls = ['--tls-cert-file=c', `--tls-private-key-file=${join(path, 'tls.key')}`]
  assert.deepEqual(await keysOf(), [own])
  assert.deepEqual(await keysOf(...tls), [serving, own])
  assert.deepEqual(await keysOf(...tls, `--service-account-key-file=${join(path, 'other.key')}`), [other])
  remove()
})
