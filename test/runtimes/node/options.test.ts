import assert from 'node:assert/strict'
import { test } from 'node:test'
import { choosePlugins, defaultAdmissionPlugins } from '../../../core/admission/plugins/index.ts'
import { parseFlags } from '../../../core/config/parse.ts'
import { serverOptions } from '../../../runtimes/node/options.ts'

function chosen(...flags: string[]): string[] {
  const { enabledPlugins = [], disabledPlugins = [] } = serverOptions(parseFlags(flags, 'apiserver'))
  return choosePlugins(enabledPlugins, disabledPlugins).map(({ name }) => name)
}

test('plugins: some more or fewer than by default, or with the deprecated flag only those that it names', () => {
  const usual = chosen()
  assert.ok(usual.includes('Priority') && !usual.includes('AlwaysPullImages'), usual.join())
  assert.deepEqual(
    usual.filter((name) => !defaultAdmissionPlugins.some((each) => each === name)),
    [],
    'none runs by default that the specification does not list',
  )
  assert.deepEqual(new Set(chosen('--enable-admission-plugins=AlwaysPullImages')), new Set([...usual, 'AlwaysPullImages']))
  assert.deepEqual(
    chosen('--disable-admission-plugins=Priority'),
    usual.filter((name) => name !== 'Priority'),
  )
  assert.deepEqual(chosen('--admission-control=Priority,NamespaceLifecycle'), ['NamespaceLifecycle', 'Priority'])
})
