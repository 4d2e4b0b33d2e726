import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { applyDefaults } from '../../../core/schema/defaults.ts'
import { field, inline, int32, list, type Message, map, message, pointer, string } from '../../../core/schema/model.ts'
import { hookContext } from '../../support/hook-context.ts'

const context = hookContext()

const Port = message('Port', '', { protocol: field(1, string, '', { default: 'TCP' }), number: field(2, int32, '') })
const Inlined = message('Inlined', '', { mode: pointer(1, int32, '', { default: 420 }) })
const Box: Message = message('Box', '', {
  replicas: pointer(1, int32, '', { default: 1 }),
  policy: field(2, string, '', { default: 'Always' }),
  selector: pointer(3, map(string), '', { default: { a: 'b' } }),
  ports: field(4, list(Port), ''),
  byName: field(5, map(Port), ''),
  $inlined: inline(0, Inlined),
  inner: pointer(7, () => Box, ''),
  plain: field(8, message('Plain', '', { text: field(1, string, '') }), ''),
}).with({
  defaults: (value, { now }) => {
    const box = value as { policy?: string; replicas?: number; stamp?: number }
    if (box.policy === 'Always') box.replicas = (box.replicas ?? 0) + 1
    box.stamp = now
  },
})

describe('applyDefaults', () => {
  it('sets fields first, then runs the hook, then defaults children', () => {
    const value = { ports: [{}, { protocol: 'UDP' }], byName: { x: { protocol: '' } }, inner: { policy: 'Never' } }
    applyDefaults(Box, value, context)
    assert.deepEqual(value, {
      replicas: 2,
      policy: 'Always',
      selector: { a: 'b' },
      ports: [{ protocol: 'TCP' }, { protocol: 'UDP' }],
      byName: { x: { protocol: 'TCP' } },
      mode: 420,
      stamp: 0,
      inner: { replicas: 1, policy: 'Never', selector: { a: 'b' }, mode: 420, stamp: 0 },
    })
  })

  it('keeps an explicit zero of a pointer, and takes zero for unset otherwise', () => {
    const value = { replicas: 0, mode: 0, policy: '' }
    applyDefaults(Box, value, context)
    assert.deepEqual([value.replicas, value.mode, value.policy], [1, 0, 'Always'])
  })

  it('gives each object its own copy', () => {
    const [one, two]: { selector?: { [key: string]: string } }[] = [{}, {}]
    applyDefaults(Box, one as never, context)
    ;(one as { selector: { [key: string]: string } }).selector['a'] = 'changed'
    applyDefaults(Box, two as never, context)
    assert.deepEqual(two?.selector, { a: 'b' })
  })
})
