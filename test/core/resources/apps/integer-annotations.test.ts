/** Annotations that hold integers of former versions are read as kube-apiserver 1.36.2 reads them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Answer, startServer } from '../support.ts'

const client = startServer()

const subjects = [
  {
    kind: 'Deployment',
    annotation: 'deprecated.deployment.rollback.to',
    fault: (text: string, why: string) =>
      `failed to parse annotation[deprecated.deployment.rollback.to]=${text} as int64: strconv.ParseInt: parsing "${text}": ${why}`,
  },
  {
    kind: 'DaemonSet',
    annotation: 'deprecated.daemonset.template.generation',
    fault: (text: string, why: string) => `strconv.ParseInt: parsing "${text}": ${why}`,
  },
]

const faults = [
  ['x', 'invalid syntax'],
  ['1.0', 'invalid syntax'],
  [' 1', 'invalid syntax'],
  ['9223372036854775808', 'value out of range'],
] as const

const printed = [
  ['+7', '7'],
  ['007', '7'],
  ['9223372036854775807', '9223372036854775807'],
] as const

for (const { kind, annotation, fault } of subjects) {
  const path = `/apis/apps/v1/namespaces/default/${kind.toLowerCase()}s`
  const manifest = (name: string, text?: string) => ({
    apiVersion: 'apps/v1',
    kind,
    metadata: { name, ...(text !== undefined && { annotations: { [annotation]: text } }) },
    spec: {
      selector: { matchLabels: { app: 'web' } },
      template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'main', image: 'nginx' }] } },
    },
  })
  const textOf = ({ body }: Answer) => (body.metadata['annotations'] as { [name: string]: string } | undefined)?.[annotation]

  test(`${kind}: another text than an integer is refused by every verb`, async () => {
    const { send } = await client
    await send('POST', path, manifest('refused'))
    for (const [text, why] of faults) {
      const patch = { metadata: { annotations: { [annotation]: text } } }
      const message = fault(text, why)
      const refused = [
        ...[await send('POST', path, manifest('other', text)), await send('PUT', `${path}/refused`, manifest('refused', text))],
        await send('PUT', `${path}/refused/status`, manifest('refused', text)),
      ]
      for (const { code, body } of refused) {
        assert.equal(code, 400)
        assert.equal(body['message'], `${kind} in version "v1" cannot be handled as a ${kind}: ${message}`)
      }
      const merged = await send('PATCH', `${path}/refused`, patch, 'application/merge-patch+json')
      assert.equal(merged.code, 422)
      assert.ok(String(merged.body['message']).endsWith(`: ${message}`), String(merged.body['message']))
      const strategic = await send('PATCH', `${path}/refused`, patch, 'application/strategic-merge-patch+json')
      assert.deepEqual([strategic.code, strategic.body['message']], [500, message])
      const applied = await send('PATCH', `${path}/applied?fieldManager=x`, manifest('applied', text), 'application/apply-patch+yaml')
      assert.equal(applied.code, 500)
      assert.equal(applied.body['message'], `failed to convert to unversioned (/applied; apps/v1, Kind=${kind}): ${message}`)
    }
  })

  test(`${kind}: an integer is stored as Go prints it`, async () => {
    const { send } = await client
    for (const [given, stored] of printed)
      assert.equal(textOf(await send('POST', `${path}?dryRun=All`, manifest('printed', given))), stored)
  })

  test(`${kind}: a write of the status leaves the integer as it is`, async () => {
    const { send } = await client
    await send('POST', path, manifest('kept', '3'))
    assert.equal(textOf(await send('PUT', `${path}/kept/status`, manifest('kept', '5'))), '3')
    assert.equal(textOf(await send('PUT', `${path}/kept/status`, manifest('kept'))), '3')
  })
}

test('an empty text is no revision to roll back to', async () => {
  const { send } = await client
  const [{ annotation }] = subjects as [(typeof subjects)[0]]
  const path = '/apis/apps/v1/namespaces/default/deployments'
  const answer = await send('POST', `${path}?dryRun=All`, {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'empty', annotations: { [annotation]: '' } },
    spec: {
      selector: { matchLabels: { app: 'web' } },
      template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'main', image: 'nginx' }] } },
    },
  })
  assert.equal(answer.code, 201)
  assert.equal(answer.body.metadata['annotations'], undefined)
})
