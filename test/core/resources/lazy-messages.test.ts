/** Fields of messages are made at their first use, so that a process, a worker and a test pay for the kinds that they use only. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { groupVersions } from '../../../core/resources/group-versions.ts'
import { field, granular, message, string, withFacets } from '../../../core/schema/model.ts'
import { sourcesBelow } from '../../architecture/graph.ts'

test('fields that a function returns are made once, also for copies of the message', () => {
  let made = 0
  const Probe = message('Probe', 'A probe.', () => ({ name: field(made++, string, 'Its name.') })).with({ atomic: true })
  const copies = [granular(Probe), withFacets(Probe, { nullable: true })]
  assert.equal(made, 0)
  assert.deepEqual([...Probe.json.keys()], ['name'])
  for (const copy of copies) {
    assert.equal(copy.fields, Probe.fields)
    assert.deepEqual([...copy.json.keys()], ['name'])
  }
  assert.equal(made, 1)
  assert.equal(copies[0]?.atomic, undefined)
})

test('messages of all kinds are declared with such functions', () => {
  const eager = /^(?:export )?const (\w+) = (?:message|object)\(\s*'[^']*',\s*(?:'(?:[^'\\]|\\.)*'|"[^"]*"|`[^`]*`),\s*\{(?!\})/gm
  const text = "const A = message('A', 'Text.', {\n  b: field(1, string, 'B.') })"
  assert.equal([...text.matchAll(eager)].length, 1)
  const found = sourcesBelow('core/resources').flatMap(({ path, text }) => [...text.matchAll(eager)].map(([, name]) => `${path}: ${name}`))
  assert.deepEqual(found, [])
})

test('other versions have messages of their own, which are those of their package', () => {
  const other = groupVersions.find(({ group, version }) => group === 'autoscaling' && version === 'v2')
  const schema = other?.definitions[0]?.schema
  assert.equal(schema?.goPackage, 'v2')
  assert.deepEqual(Object.keys(schema?.fields ?? {}), ['metadata', 'spec', 'status'])
})
