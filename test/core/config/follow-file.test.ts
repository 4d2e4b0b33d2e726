/** Files that are loaded again when they change: one after the other, and what can't be loaded changes nothing. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { followFile } from '../../../core/config/follow-file.ts'
import { TestClock } from '../../../runtimes/testing/clock.ts'
import { eventually } from '../../../runtimes/testing/eventually.ts'
import { webClock } from '../../../runtimes/web/ports.ts'

function following() {
  let text = 'first'
  let notify = () => {}
  const seen: string[] = []
  const log = (_fields: object, message: string) => void seen.push(message)
  const clock = new TestClock(webClock)
  let release: (() => void) | undefined
  const stop = followFile<string>({
    path: 'f',
    files: {
      read: async () => new TextEncoder().encode(text),
      watch: (_path, changed) => {
        notify = changed
        return () => void seen.push('not watched')
      },
    },
    logger: { debug: log, info: log, warn: log, error: (fields, message) => void seen.push(`${message}: ${JSON.stringify(fields)}`) },
    what: 'settings',
    text,
    async load(changed) {
      if (changed === 'slow') await new Promise<void>((resolve) => (release = resolve))
      if (changed.startsWith('bad')) throw new Error(changed)
      return changed
    },
    use: (value) => void seen.push(`use ${value}`),
    drop: (value) => void seen.push(`drop ${value}`),
    retry: { clock, after: 60_000, when: (error) => String(error).includes('bad for now') },
  })
  return {
    clock,
    seen,
    stop,
    write(changed: string) {
      text = changed
      notify()
    },
    /** Ends the slow load, which has begun. */
    slow: () => eventually('the load', () => release),
    reach: (...messages: string[]) =>
      eventually(messages.join(), () => (seen.length >= messages.length ? seen : undefined)).then(() =>
        assert.deepEqual(seen.splice(0), messages),
      ),
  }
}

test('only changed content is loaded, and what can’t be loaded changes nothing', async () => {
  const { write, reach, stop } = following()
  write('first')
  write('second')
  await reach('use second', 'settings reloaded')
  write('bad')
  await reach('settings not reloaded; the last valid one stays in use: {"file":"f","error":"bad"}')
  write('bad')
  write('second')
  await reach('use second', 'settings reloaded')
  stop()
  await reach('not watched')
})

test('a load that failed for now is repeated after a while', async () => {
  const { write, reach, clock, stop } = following()
  write('bad for now')
  const message = 'settings not reloaded; the last valid one stays in use: {"file":"f","error":"bad for now"}'
  await reach(message)
  await clock.advance(60_000)
  await reach(message)
  write('good')
  await reach('use good', 'settings reloaded')
  await clock.advance(60_000)
  stop()
  await reach('not watched')
})

test('what is loaded when the file is not followed any more is dropped', async () => {
  const { write, reach, slow, stop } = following()
  write('slow')
  const release = await slow()
  stop()
  release()
  await reach('not watched', 'drop slow')
})
