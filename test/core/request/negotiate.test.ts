import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError } from '../../../core/answers/status.ts'
import { createPlatform } from '../../../core/platform.ts'
import { bodyFormat, patchFormat, patchFormats, unstructuredPatchFormats } from '../../../core/request/media-type.ts'
import { createNegotiator, isPretty } from '../../../core/request/negotiate.ts'

const platform = createPlatform('kubernetes')
const { negotiate, negotiateStream } = createNegotiator(platform)
const builtIn = { protobuf: true, table: true }
const custom = { protobuf: false, table: true }
const kubernetesProtobuf = 'application/vnd.kubernetes.protobuf'
const ourProtobuf = 'application/vnd.platform.protobuf'
const kubectl = 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json'

test('selects the media type', () => {
  const rows: [accept: string | null, endpoint: typeof builtIn, mediaType: string][] = [
    [null, builtIn, 'application/json'],
    ['', builtIn, 'application/json'],
    ['*/*', builtIn, 'application/json'],
    ['*', builtIn, 'application/json'],
    ['application/*', builtIn, 'application/json'],
    ['application/yaml', builtIn, 'application/yaml'],
    [kubernetesProtobuf, builtIn, kubernetesProtobuf],
    [ourProtobuf, builtIn, ourProtobuf],
    [`${kubernetesProtobuf},application/json`, builtIn, kubernetesProtobuf],
    [`${kubernetesProtobuf},application/json`, custom, 'application/json'],
    ['application/json;q=0.5, application/yaml', builtIn, 'application/yaml'],
    ['*/*, application/yaml', builtIn, 'application/yaml'],
    ['text/html,application/xhtml+xml,*/*;q=0.8', builtIn, 'application/json'],
    ['application/json; charset=utf-8', builtIn, 'application/json'],
  ]
  for (const [accept, endpoint, mediaType] of rows) assert.equal(negotiate(accept, endpoint).mediaType, mediaType, String(accept))
})

test('selects transformations that the endpoint supports', () => {
  assert.deepEqual(negotiate(kubectl, builtIn).transform, { kind: 'Table', version: 'v1' })
  assert.equal(negotiate(kubectl, { protobuf: true, table: false }).transform, undefined)
  const partial = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1'
  assert.deepEqual(negotiate(partial, custom).transform, { kind: 'PartialObjectMetadataList', version: 'v1' })
  assert.equal(negotiate(`${kubernetesProtobuf};as=PartialObjectMetadata;g=meta.k8s.io;v=v1`, custom).format, 'protobuf')
  assert.equal(negotiate(`${kubernetesProtobuf};as=Table;g=meta.k8s.io;v=v1,application/json`, builtIn).format, 'json')
  assert.equal(negotiate('application/json;as=Table;g=meta.k8s.io;v=v2,application/yaml', builtIn).format, 'yaml')
  assert.equal(negotiate('application/json;pretty=1', builtIn).pretty, true)
  const errors = { ...builtIn, transforms: false }
  assert.equal(negotiate(kubectl, errors).transform, undefined)
  assert.equal(negotiate(`${kubernetesProtobuf};as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json`, errors).format, 'json')
})

test('results are cached, in bounded memory', () => {
  assert.equal(negotiate(kubectl, builtIn), negotiate(kubectl, builtIn))
  for (let index = 0; index < 5000; index++) assert.equal(negotiate(`application/json;x=${index}`, builtIn).format, 'json')
})

const refused = (code: number, message: string, run: () => unknown) =>
  assert.throws(run, (error) => error instanceof ApiError && error.status.code === code && error.message === message)

test('refuses unsupported media types', () => {
  const text = `only the following media types are accepted: application/json, application/yaml, ${kubernetesProtobuf}`
  for (const accept of ['text/html', 'nonsense', kubernetesProtobuf]) refused(406, text, () => negotiate(accept, custom))
  refused(406, text, () => negotiate('application/json;as=Unknown;g=meta.k8s.io;v=v1', builtIn))
  const stream = `only the following media types are accepted: application/json;stream=watch, ${kubernetesProtobuf};stream=watch`
  refused(406, stream, () => negotiateStream('application/yaml', builtIn))
  assert.equal(negotiateStream(`${kubernetesProtobuf};stream=watch`, builtIn).stream, 'watch')
  assert.equal(negotiateStream('application/json', builtIn).format, 'json')
  assert.equal(negotiateStream('application/json;pretty=1', builtIn).pretty, false)
  refused(406, stream, () => negotiateStream('application/json;stream=other', builtIn))
})

test('indents as the query says, otherwise for user agents of people', () => {
  const rows: [query: string, agent: string, expected: boolean][] = [
    ['', 'curl/8.14.1', true],
    ['', 'curl', true],
    ['', 'Wget/1.25.0', true],
    ['', 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0', true],
    ['', 'Mozilla/4.0', false],
    ['', 'Curl/8.14.1', false],
    ['', 'wget', false],
    ['', 'libcurl/8.14.1', false],
    ['', 'kubectl/v1.36.0 (linux/amd64) kubernetes/0000000', false],
    ['', '', false],
    ['?pretty=true', '', true],
    ['?a=b&pretty=1', 'kubectl', true],
    ['?pretty=T', '', true],
    ['?pretty=0', 'curl/8.14.1', false],
    ['?pretty=false', 'Wget/1.25.0', false],
    ['?pretty=yes', 'curl/8.14.1', false],
    ['?pretty=', 'curl/8.14.1', true],
    ['?pretty', 'curl/8.14.1', true],
    ['?pretty', '', false],
    ['?pretty=&pretty=false', 'curl/8.14.1', true],
    ['?prettyish=false', 'curl/8.14.1', true],
  ]
  for (const [query, agent, expected] of rows) {
    const headers = new Headers(agent === '' ? {} : { 'user-agent': agent })
    assert.equal(isPretty(new URLSearchParams(query), headers), expected, `${query} ${agent}`)
  }
})

test('media types of bodies', () => {
  assert.equal(bodyFormat(null, platform, true), 'json')
  assert.equal(bodyFormat('Application/JSON; charset=utf-8', platform, false), 'json')
  assert.equal(bodyFormat('application/yaml', platform, false), 'yaml')
  assert.equal(bodyFormat(ourProtobuf, platform, true), 'protobuf')
  const prefix = 'the body of the request was in an unknown format - accepted media types include: '
  refused(415, `${prefix}application/json, application/yaml`, () => bodyFormat(kubernetesProtobuf, platform, false))
  refused(415, `${prefix}application/json, application/yaml, ${kubernetesProtobuf}`, () => bodyFormat('constructor', platform, true))
  assert.equal(patchFormat('application/strategic-merge-patch+json; charset=utf-8', patchFormats), 'strategic-merge-patch')
  assert.equal(patchFormat('application/apply-patch+yaml', unstructuredPatchFormats), 'apply-patch')
  refused(415, `${prefix}application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml`, () =>
    patchFormat('application/strategic-merge-patch+json', unstructuredPatchFormats),
  )
  refused(
    415,
    `${prefix}application/json-patch+json, application/merge-patch+json, application/strategic-merge-patch+json, application/apply-patch+yaml`,
    () => patchFormat(null, patchFormats),
  )
})
