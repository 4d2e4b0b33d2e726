import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { parseRuntimeConfig } from '../../../core/config/runtime-config.ts'
import { flagConflicts } from '../../../core/flags/exclusions.ts'
import { parseFlags } from '../../../core/flags/parse.ts'
import { createPlatform } from '../../../core/platform.ts'
import { builtInResources } from '../../../core/resources/group-versions.ts'
import { serverOptions } from '../../../runtimes/node/start/options.ts'
import type { Api } from '../../support/api.ts'
import { apiOn, startInProcess } from '../../support/in-process.ts'

const conflicts = (...argv: string[]) => flagConflicts(parseFlags(argv, 'apiserver'))
const release = (minor: number) => `1.${minor}` as const
const platform = createPlatform()

interface Options {
  readonly minor?: number
  readonly config?: string
  readonly laterVersions?: boolean
  readonly laterEntries?: boolean
}

/** Resources of a group that are served, as `version/plural`. */
function served(group: string, { minor = 36, config = '', ...later }: Options = {}): readonly string[] {
  const pairs = new Map(config === '' ? [] : config.split(',').map((pair) => pair.split('=') as [string, string]))
  const known = builtInResources
  const { servesVersion } = parseRuntimeConfig(pairs, known, { platform, emulated: release(minor), ...later })
  return known
    .filter((each) => platform.name(each.group) === group && servesVersion(each))
    .map(({ version, names }) => `${version}/${names.plural}`)
    .sort()
}

describe('start-up errors', () => {
  test('versions name a known component, once each', () => {
    for (const flag of ['--emulated-version', '--min-compatibility-version']) {
      assert.match(conflicts(`${flag}=other=1.35`)[0] ?? '', new RegExp(`${flag}: component not registered: other`))
      assert.match(conflicts(`${flag}=1.35`, `${flag}=1.34`)[0] ?? '', new RegExp(`${flag}: duplicate version flag`))
      assert.deepEqual(conflicts(`${flag}=${platform.component}=1.35`), [])
    }
  })
  test('one of the last four releases can be emulated', () => {
    for (const minor of [33, 34, 35, 36]) assert.deepEqual(conflicts(`--emulated-version=1.${minor}`), [])
    for (const given of ['1.32', '1.37', '2.0']) {
      const expected = `--emulated-version: invalid value "${given}": must be between 1.33 and 1.36`
      assert.deepEqual(conflicts(`--emulated-version=kube=${given}`), [expected])
    }
  })

  test('the minimum compatibility version is not later than the emulated version', () => {
    assert.deepEqual(conflicts('--emulated-version=1.35', '--min-compatibility-version=kube=1.33'), [])
    const expected = '--min-compatibility-version: invalid value "1.35": must be between 1.33 and 1.34'
    assert.deepEqual(conflicts('--emulated-version=1.34', '--min-compatibility-version=1.35'), [expected])
    assert.match(conflicts('--min-compatibility-version=1.30')[0] ?? '', /must be between 1.33 and 1.36/)
  })

  test('forward compatibility requires an older emulated version', () => {
    for (const name of ['emulation-forward-compatible', 'runtime-config-emulation-forward-compatible']) {
      assert.match(conflicts(`--${name}`)[0] ?? '', new RegExp(`^--${name} may be true only when --emulated-version is lower`))
      assert.deepEqual(conflicts(`--${name}`, '--emulated-version=1.35'), [])
      assert.deepEqual(conflicts(`--${name}=false`), [])
    }
  })

  test('a runtime-config entry for a later API', () => {
    const start = () => served('resource.k8s.io', { minor: 33, config: 'resource.k8s.io/v1=true' })
    assert.throws(start, {
      name: 'DecodeError',
      message:
        'resource.k8s.io/v1 was introduced in 1.34, after the emulation version 1.33; consider --runtime-config-emulation-forward-compatible=true',
    })
    assert.throws(
      () => served('resource.k8s.io', { minor: 33, config: 'resource.k8s.io/v1/deviceclasses=true' }),
      /v1\/deviceclasses was introduced in 1.34/,
    )
    assert.deepEqual(served('resource.k8s.io', { minor: 33, config: 'resource.k8s.io/v1=false' }), [])
  })
})

describe('served versions', () => {
  const v1 = ['deviceclasses', 'resourceclaims', 'resourceclaimtemplates', 'resourceslices']
  const named = (version: string) => v1.map((plural) => `${version}/${plural}`)

  test('follow the emulated release', () => {
    assert.deepEqual(served('resource.k8s.io'), named('v1'))
    assert.deepEqual(served('resource.k8s.io', { minor: 34 }), named('v1'))
    assert.deepEqual(served('resource.k8s.io', { minor: 33 }), [])
    assert.ok(served('admissionregistration.k8s.io').includes('v1/mutatingadmissionpolicies'))
    assert.ok(!served('admissionregistration.k8s.io', { minor: 35 }).includes('v1/mutatingadmissionpolicies'))
    assert.deepEqual(served('apps', { minor: 33 }), served('apps'))
  })

  test('runtime-config entries for groups enable what the release has', () => {
    const config = 'api/beta=true'
    assert.deepEqual(served('storagemigration.k8s.io', { minor: 35, config }), ['v1beta1/storageversionmigrations'])
    assert.deepEqual(served('storagemigration.k8s.io', { minor: 34, config }), [])
    assert.deepEqual(served('storagemigration.k8s.io', { minor: 34, config, laterEntries: true }), [])
  })

  test('runtime-config entries may enable later versions with forward compatibility', () => {
    const options = { minor: 33, laterEntries: true }
    assert.deepEqual(served('resource.k8s.io', { ...options, config: 'resource.k8s.io/v1=true' }), named('v1'))
    assert.deepEqual(served('resource.k8s.io', { ...options, config: 'resource.k8s.io/v1/deviceclasses=true' }), ['v1/deviceclasses'])
  })

  test('later versions of enabled resources are served with emulation forward compatibility', () => {
    const config = 'resource.k8s.io/v1beta1=true'
    assert.deepEqual(served('resource.k8s.io', { minor: 33, config }), named('v1beta1'))
    const all = [...named('v1'), ...named('v1beta1'), ...named('v1beta2')].sort()
    assert.deepEqual(served('resource.k8s.io', { minor: 33, config, laterVersions: true }), all)
    const without = served('resource.k8s.io', { minor: 33, config: `${config},resource.k8s.io/v1=false`, laterVersions: true })
    assert.deepEqual(without, [...named('v1beta1'), ...named('v1beta2')].sort())
    assert.deepEqual(served('resource.k8s.io', { minor: 33, laterVersions: true }), [])
  })

  test('an enabled alpha version enables no later versions', () => {
    const config = 'admissionregistration.k8s.io/v1alpha1=true'
    const options = { minor: 33, config, laterVersions: true }
    const policies = served('admissionregistration.k8s.io', options).filter((each) => each.endsWith('/mutatingadmissionpolicies'))
    assert.deepEqual(policies, ['v1alpha1/mutatingadmissionpolicies'])
  })
})

describe('a server', () => {
  async function withServer(argv: readonly string[], run: (api: Api) => Promise<void>): Promise<void> {
    const { server } = await startInProcess({ ...serverOptions(parseFlags(argv, 'apiserver')), authorizationModes: ['AlwaysAllow'] })
    try {
      await run(apiOn(server))
    } finally {
      await server.close()
    }
  }

  test('reports and serves the emulated version', async () => {
    await withServer(['--emulated-version=1.33'], async (api) => {
      const { body } = await api.get<{ [field: string]: string }>('/version')
      assert.deepEqual(
        [
          body['major'],
          body['minor'],
          body['emulationMajor'],
          body['emulationMinor'],
          body['minCompatibilityMajor'],
          body['minCompatibilityMinor'],
        ],
        ['1', '36', '1', '33', '1', '33'],
      )
      const { status, body: missing } = await api.get('/apis/resource.k8s.io/v1/deviceclasses')
      assert.deepEqual([status, missing], [404, '404 page not found\n'], 'the group has no other version')
      const { body: groups } = await api.get<{ groups: { name: string }[] }>('/apis')
      assert.ok(!groups.groups.some(({ name }) => name === 'resource.k8s.io'))
    })
  })

  test('has the fields of the emulated release', async () => {
    const pod = {
      metadata: { name: 'web' },
      spec: { hostnameOverride: 'front', containers: [{ name: 'web', image: 'web' }] },
    }
    const kept = async (...argv: string[]) => {
      let hostname: unknown
      await withServer(['--disable-admission-plugins=ServiceAccount', ...argv], async (api) => {
        const { spec } = await api.create('/api/v1/namespaces/default/pods', pod)
        hostname = spec?.['hostnameOverride']
      })
      return hostname
    }
    assert.equal(await kept('--emulated-version=1.35'), 'front')
    assert.equal(await kept('--emulated-version=1.34'), undefined)
    assert.equal(await kept('--emulated-version=1.34', '--feature-gates=HostnameOverride=true'), 'front')
    assert.throws(
      () => serverOptions(parseFlags(['--emulated-version=1.33', '--feature-gates=HostnameOverride=true'], 'apiserver')),
      /PreAlpha/,
    )
  })

  test('serves later versions of enabled resources with forward compatibility', async () => {
    const argv = ['--emulated-version=1.33', '--runtime-config=resource.k8s.io/v1beta1=true']
    const versions = async (api: Api) => {
      const { body } = await api.get<{ versions: { version: string }[]; preferredVersion: { version: string } }>('/apis/resource.k8s.io')
      return [body.preferredVersion.version, ...body.versions.map(({ version }) => version)]
    }
    await withServer(argv, async (api) => assert.deepEqual(await versions(api), ['v1beta1', 'v1beta1']))
    await withServer([...argv, '--emulation-forward-compatible'], async (api) => {
      assert.deepEqual(await versions(api), ['v1', 'v1', 'v1beta2', 'v1beta1'])
      await api.list('/apis/resource.k8s.io/v1/deviceclasses')
    })
  })

  test('warns of deprecated versions', async () => {
    await withServer(['--runtime-config=storage.k8s.io/v1beta1=true,resource.k8s.io/v1beta2=true'], async (api) => {
      const warning = async (path: string) => (await api.get(path)).headers.get('warning')
      const storage =
        'storage.k8s.io/v1beta1 VolumeAttributesClass is deprecated in v1.34+, unavailable in v1.37+; use storage.k8s.io/v1 VolumeAttributesClass'
      assert.equal(await warning('/apis/storage.k8s.io/v1beta1/volumeattributesclasses'), `299 - "${storage}"`)
      const claims = 'resource.k8s.io/v1beta2 ResourceClaim is deprecated in v1.36+, unavailable in v1.39+'
      assert.equal(await warning('/apis/resource.k8s.io/v1beta2/namespaces/default/resourceclaims'), `299 - "${claims}"`)
      const endpoints = 'v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice'
      assert.equal(await warning('/api/v1/namespaces/default/endpoints'), `299 - "${endpoints}"`)
      const created = await api.send('POST', '/api/v1/namespaces/default/endpoints', { metadata: { name: 'old' } })
      assert.deepEqual([created.status, created.headers.get('warning')], [201, `299 - "${endpoints}"`])
      assert.equal(await warning('/apis/storage.k8s.io/v1/volumeattributesclasses'), null)
    })
  })
})
