/** Paths that another handler answers. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PathHandler } from '../../../core/filters/path-handlers.ts'
import { requestInfo } from '../../../core/request/info.ts'
import { startInProcess } from '../../support/in-process.ts'

test('a handler says which of its requests are long-running; nobody else does', async () => {
  const seen: string[] = []
  const note: PathHandler['answer'] = ({ info }) => {
    seen.push(`${info.path} ${info.longRunning}`)
    return new Response('')
  }
  const server = await startInProcess({
    pathHandlers: [
      { prefix: '/places', lasts: (path) => path.endsWith('/long'), answer: note },
      { prefix: '/others', answer: note },
    ],
  })
  const paths = ['/places', '/places/a', '/places/a/long', '/others/a/long', '/placeslong/long']
  for (const path of paths) await server.fetch(path)
  assert.deepEqual(seen, ['/places false', '/places/a false', '/places/a/long true', '/others/a/long false'])
  await server.close()
  assert.equal(requestInfo('GET', '/branches/a/api', new URLSearchParams()).longRunning, false)
})
