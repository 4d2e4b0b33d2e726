/** The page about the test server's methods: each has an example, and each example runs. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import * as client from '@kubernetes/client-node'
import * as harness from '../../../runtimes/testing/index.ts'
import { blocksOf } from '../../support/page.ts'
import { temporaryDirectory } from '../../support/temporary.ts'

const blocks = blocksOf('runtimes/testing/METHODS.md')

/** What examples may use without saying where it is from. */
type Scope = { readonly [name: string]: unknown }
type AsyncFunction = new (...parameters: readonly string[]) => (...values: readonly unknown[]) => Promise<void>
const AsyncFunction = Object.getPrototypeOf(async () => {}).constructor as AsyncFunction

async function run(code: string, scope: Scope): Promise<void> {
  // In a block of its own, in which an example may declare names of the scope.
  await new AsyncFunction(...Object.keys(scope), `{ ${code} }`)(...Object.values(scope))
}

/** The names of an object's methods and properties, those of its class included. */
const namesOf = (value: object) => [
  ...Object.keys(value),
  ...Object.getOwnPropertyNames(Object.getPrototypeOf(value)).filter((name) => !(name in Object.prototype)),
]

describe('the page about the methods of the test server', () => {
  const directory = temporaryDirectory('methods')
  let prepared: harness.TestServer
  before(async () => {
    prepared = await harness.startTestServer()
  })
  after(async () => {
    await prepared.close()
    directory.remove()
  })

  for (const { heading, text } of blocks)
    test(heading, async () => {
      const server = await prepared.fork()
      try {
        await run(text, { ...harness, server, assert, client, directory: directory.path })
      } finally {
        await server.close()
      }
    })

  test('each method and function has an example that uses it', () => {
    const codeOf = (heading: string) =>
      blocks
        .filter((block) => block.heading === heading)
        .map(({ text }) => text)
        .join('')
    const uses = (heading: string, used: RegExp) => assert.match(codeOf(heading), used, `${heading} has no example with ${used}`)
    for (const name of namesOf(prepared))
      uses(`server.${name}`, new RegExp(`(?:server|other|fork)\\.${name}\\b|\\b${name} \\} = server\\b`))
    for (const name of namesOf(prepared.objects('v1', 'Pod'))) uses(`objects.${name}`, new RegExp(`\\.${name}\\(`))
    for (const name of Object.keys(harness)) uses(name, new RegExp(`\\b${name}\\b`))

    // What methods return, and of the clock what is not for the server's own work.
    const returned: { readonly [heading: string]: readonly string[] } = {
      'server.clock': ['now', 'advance', 'ahead', 'set', 'freeze', 'isFrozen', 'resume'] satisfies (keyof harness.TestClock)[],
      'server.faults': [...namesOf(prepared.faults), ...(['hits', 'remove'] satisfies (keyof harness.AddedFault)[])],
      'server.requests': namesOf(prepared.requests),
      'server.listen': ['url', 'token', 'kubeConfig', 'writeKubeconfig', 'close'] satisfies (keyof harness.Port)[],
      'server.webhooks': ['calls', 'fail', 'delay', 'remove'] satisfies (keyof harness.Webhooks)[],
    }
    for (const [heading, names] of Object.entries(returned)) for (const name of names) uses(heading, new RegExp(`\\.${name}\\b`))
  })
})
