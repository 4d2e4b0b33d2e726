import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createExclusions, type GroupVersionSource } from '../../../core/peers/exclusions.ts'
import { TestClock } from '../../../runtimes/testing/clock.ts'
import { webClock } from '../../../runtimes/web/ports.ts'

type Changed = Parameters<GroupVersionSource>[0]

function source(): { follow: GroupVersionSource; tell: Changed; followed(): boolean } {
  let told: Changed | undefined
  return {
    follow(changed) {
      told = changed
      changed('first', ['a.example.com/v1'])
      return () => {
        told = undefined
      }
    },
    tell: (name, groupVersions) => told?.(name, groupVersions),
    followed: () => told !== undefined,
  }
}

test('a group version is excluded while something defines it, and for five minutes more', async () => {
  const clock = new TestClock(webClock)
  const [one, other] = [source(), source()]
  const exclusions = createExclusions([one.follow, other.follow], clock)
  assert.ok(exclusions.has('a.example.com/v1'))
  assert.ok(!exclusions.has('a.example.com/v2'))
  const start = exclusions.revision
  one.tell('first', ['a.example.com/v1', 'a.example.com/v2'])
  assert.ok(exclusions.has('a.example.com/v2'))
  assert.ok(exclusions.revision > start)
  // The other source still defines it.
  one.tell('first', ['a.example.com/v2'])
  await clock.advance(400_000)
  assert.ok(exclusions.has('a.example.com/v1'))
  other.tell('first', [])
  await clock.advance(299_000)
  assert.ok(exclusions.has('a.example.com/v1'))
  const before = exclusions.revision
  await clock.advance(2_000)
  assert.ok(!exclusions.has('a.example.com/v1'))
  assert.ok(exclusions.revision > before)
  // Defined again meanwhile.
  one.tell('first', [])
  one.tell('second', ['a.example.com/v2'])
  await clock.advance(400_000)
  assert.ok(exclusions.has('a.example.com/v2'))
  exclusions.close()
  assert.ok(!one.followed() && !other.followed())
})
