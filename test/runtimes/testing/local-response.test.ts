/** The responses of `fetch` in the process are those of the Fetch standard, whatever is asked of them and in which order. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { startTestServer, type TestServer } from '../../../runtimes/testing/index.ts'

let server: TestServer
before(async () => {
  server = await startTestServer()
})

const paths = ['/api/v1/namespaces/default', '/api/v1/namespaces/nowhere', '/healthz', '/api/v1/namespaces?limit=1']

/** A built-in Response of the same content. */
async function builtIn(path: string): Promise<Response> {
  const given = await server.fetch(path)
  return new Response(await given.text(), { status: given.status, headers: given.headers })
}

/** What can be asked of a response, as a value or an error that can be compared. */
const questions: Record<string, (response: Response) => unknown> = {
  text: (response) => response.text(),
  json: (response) => response.json(),
  arrayBuffer: async (response) => new Uint8Array(await response.arrayBuffer()),
  blob: async (response) => (await response.blob()).text(),
  clone: (response) => response.clone().text(),
  body: async (response) => {
    const parts: Uint8Array[] = []
    for await (const part of response.body ?? []) parts.push(part)
    return Buffer.concat(parts).toString()
  },
  bodyUsed: (response) => response.bodyUsed,
  status: (response) => [response.status, response.ok, response.statusText, response.type, response.url, response.redirected],
  headers: (response) => [...response.headers].filter(([name]) => name !== 'audit-id' && name !== 'date'),
  'headers that are set': (response) => {
    response.headers.set('x-own', 'one')
    return response.clone().headers.get('x-own')
  },
}

async function outcome(response: Response, question: string): Promise<unknown> {
  try {
    return await (questions[question] as (response: Response) => unknown)(response)
  } catch (error) {
    return error instanceof TypeError ? 'TypeError' : (error as Error).name
  }
}

for (const path of paths)
  test(`a response has what a built-in one has, in every order of three questions: ${path}`, async () => {
    const names = Object.keys(questions)
    for (const first of names)
      for (const second of names)
        for (const third of ['text', 'clone', 'bodyUsed', 'body']) {
          const [local, expected] = [await server.fetch(path), await builtIn(path)]
          for (const question of [first, second, third])
            assert.deepEqual(
              await outcome(local, question),
              await outcome(expected, question),
              `${first}, ${second}, ${third}: ${question}`,
            )
        }
  })

test('a response is a Response, and can be handed on', async () => {
  const response = await server.fetch('/api/v1/namespaces/default')
  assert(response instanceof Response)
  assert(response.headers instanceof Headers)
  const passed = new Response(response.body, response)
  assert.equal(passed.headers.get('content-type'), 'application/json')
  assert.equal(((await passed.json()) as { kind: string }).kind, 'Namespace')
  assert.equal(Object.prototype.toString.call(response), '[object Response]')
  await server.close()
})
