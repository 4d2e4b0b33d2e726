import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseFlags } from '../../../core/config/parse.ts'
import { withDefaults } from '../../../core/options.ts'
import { serverOptions } from '../../../runtimes/node/options.ts'

const optionsOf = (...argv: string[]) => serverOptions(parseFlags(argv, 'apiserver'))

test('the daemon allows privileged containers only when it is told to; an embedded server does by itself', () => {
  assert.equal(optionsOf().allowPrivileged, false)
  assert.equal(optionsOf('--allow-privileged').allowPrivileged, true)
  assert.equal(withDefaults({}).allowPrivileged, true)
})

test('feature gates reach the rules', () => {
  const { gates } = optionsOf('--feature-gates=MaxUnavailableStatefulSet=true,HostnameOverride=false')
  assert.equal(gates?.enabled('MaxUnavailableStatefulSet'), true)
  assert.equal(gates?.enabled('HostnameOverride'), false)
  assert.equal(gates?.enabled('NoSuchGate'), false, 'a gate that is not known is off')
  assert.equal(withDefaults({}).gates.enabled('HostnameOverride'), true, 'on by default')
})
