import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gatesOfFlags } from '../../../core/flags/gates.ts'
import { parseFlags } from '../../../core/flags/parse.ts'
import { withDefaults } from '../../../core/options/index.ts'
import { serverOptions } from '../../../runtimes/node/start/options.ts'

const optionsOf = (...argv: string[]) => serverOptions(parseFlags(argv, 'apiserver'))

test('privileged containers are refused by default in the daemon and allowed in an embedded server', () => {
  assert.equal(optionsOf().allowPrivileged, false)
  assert.equal(optionsOf('--allow-privileged').allowPrivileged, true)
  assert.equal(withDefaults({}).admission.allowPrivileged, true)
})

test('feature gates are passed to validation', () => {
  const { gates } = withDefaults(optionsOf('--feature-gates=MaxUnavailableStatefulSet=true,HostnameOverride=false')).apis
  assert.equal(gates.enabled('MaxUnavailableStatefulSet'), true)
  assert.equal(gates.enabled('HostnameOverride'), false)
  assert.equal(gates.enabled('NoSuchGate'), false, 'an unknown gate is disabled')
  assert.equal(withDefaults({}).apis.gates.enabled('HostnameOverride'), true, 'enabled by default')
})

test('errors and warnings about gates and APIs name the flag', () => {
  const refused = { name: 'FlagError', message: '--feature-gates: unrecognized feature gate: Nope' }
  assert.throws(() => optionsOf('--feature-gates=Nope=true'), refused)
  assert.throws(() => optionsOf('--runtime-config=nope/v1=true'), { message: '--runtime-config: unknown api groups nope/v1' })
  const { warnings } = gatesOfFlags(parseFlags(['--feature-gates=APIServingWithRoutine=true'], 'apiserver'))
  assert.deepEqual(warnings, [
    '--feature-gates: APIServingWithRoutine=true has no effect: it bounds the stack size of goroutines, and there are none',
  ])
})
