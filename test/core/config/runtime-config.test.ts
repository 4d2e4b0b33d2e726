import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseRuntimeConfig, type RuntimeConfigOptions, type RuntimeConfigRow } from '../../../core/config/runtime-config.ts'
import { parseFlags } from '../../../core/flags/parse.ts'
import type { Release } from '../../../core/release.ts'
import { startInProcess } from '../../support/in-process.ts'

const row = (group: string, version: string, plural: string, servedByDefault = true, introduced: Release = '1.0'): RuntimeConfigRow => ({
  group,
  version,
  names: { plural, singular: plural },
  servedByDefault,
  lifecycle: { introduced },
})
const pods = row('', 'v1', 'pods')
const deployments = row('apps', 'v1', 'deployments')
const scales = row('apps', 'v1', 'scales')
const policies = row('admissionregistration.<domain>', 'v1beta1', 'policies', false)
const pools = row('resource.<domain>', 'v1alpha3', 'pools', false)
const young = row('resource.<domain>', 'v1', 'pools', true, '1.36')
const known = [pods, deployments, scales, policies, pools, young]

function served(text: string, options: Omit<RuntimeConfigOptions, 'platform'> = {}): readonly RuntimeConfigRow[] {
  const flags = parseFlags(text === '' ? [] : [`--runtime-config=${text}`], 'apiserver')
  const config = parseRuntimeConfig(flags.get('runtime-config'), known, { platform: flags.platform, ...options })
  return known.filter((each) => config.servesVersion(each))
}

test('without entries the definitions decide', () => assert.deepEqual(served(''), [pods, deployments, scales, young]))

test('specific entries take precedence over general ones, in any order', () => {
  assert.deepEqual(served('api/all=true'), known)
  assert.deepEqual(served('api/beta=true'), [pods, deployments, scales, policies, young])
  assert.deepEqual(served('api/alpha=true,api/all=false'), [pools])
  assert.deepEqual(served('api/all=false,apps/v1'), [deployments, scales])
  assert.deepEqual(served('apps/v1=true,api/ga=false'), [deployments, scales])
  assert.deepEqual(served('apps/v1/scales=false,apps/v1=true,api/all=false'), [deployments])
  assert.deepEqual(served('apps/v1=false,apps/v1/scales=true'), [pods, scales, young])
  assert.deepEqual(served('/v1=false,api/all=true'), [deployments, scales, policies, pools, young])
  assert.deepEqual(served('resource.k8s.io/v1alpha3=1'), [pods, deployments, scales, pools, young])
})

const keyForm = "must be group/version or group/version/resource; the core group's version is /v1"

test('invalid entries are start errors', () => {
  for (const [text, message] of [
    ['nope/v1=true', 'unknown api groups nope/v1'],
    ['nope/v1=true,api/v1=true', 'unknown api groups nope/v1'],
    ['apps/v9=true', 'group version apps/v9 that has not been registered'],
    ['apps/v1=maybe', 'invalid value of apps/v1: maybe: must be true or false'],
    ['api/all=maybe', 'invalid value api/all=maybe'],
    ['api/all=false', 'invalid with only api/all=false'],
    [
      'apps/v1/Deployments=true',
      'invalid key apps/v1/Deployments: group/version/resource and resource is always lowercase plural, not "Deployments"',
    ],
    ...['a/b/c/d', 'v1', 'apps', 'apps/v1/', 'apps/'].map((key) => [`${key}=true`, `invalid key ${key}: ${keyForm}`] as const),
    ['v1', `invalid key v1: ${keyForm}`],
    ['api/all=true,v1', `invalid key v1: ${keyForm}`],
  ] as const) {
    assert.throws(() => served(text), { name: 'DecodeError', message })
  }
})

test('the option of createApiServer follows the same rules', async (t) => {
  const start = (runtimeConfig: { readonly [api: string]: boolean }) => startInProcess({ controllers: [], runtimeConfig }, t)
  await assert.rejects(start({ v1: true }), { name: 'OptionError', message: `createApiServer: runtimeConfig: invalid key v1: ${keyForm}` })
  const { api } = await start({ '/v1': true, 'apps/v1': false })
  assert.equal((await api.get('/apis/apps/v1')).status, 404)
})

test('versions introduced later than the emulated release are not served, and requesting them is an error', () => {
  const options = { emulated: '1.35' } as const
  assert.deepEqual(served('', options), [pods, deployments, scales])
  assert.deepEqual(served('api/all=true', options), [pods, deployments, scales, policies, pools])
  assert.throws(() => served('resource.k8s.io/v1=true', options), /introduced in 1.36, after the emulation version 1.35/)
  assert.deepEqual(served('resource.k8s.io/v1=false', options), [pods, deployments, scales])
  assert.deepEqual(served('resource.k8s.io/v1=true', { ...options, laterEntries: true }), [pods, deployments, scales, young])
})
