/** The test server, in this process. */
import { execFileSync } from 'node:child_process'
import { resolve } from 'node:path'
import type * as testing from '../../../runtimes/testing/index.ts'
import { leastOf, type Subject, samples } from './subject.ts'

const path = '/api/v1/namespaces/default'

/** A test file of its own: imports the test server, starts it and asks it something. Prints the milliseconds that this takes. */
const firstStart = (url: string) => `
const began = performance.now()
const { startTestServer } = await import(${JSON.stringify(url)})
const server = await startTestServer()
await (await server.fetch('${path}')).text()
console.log(performance.now() - began)
process.exit()`

/** `bundle`: the test server as it is in the package. */
export async function ownSubject(bundle: string): Promise<Subject> {
  const ask = async (server: testing.TestServer) => (await server.fetch(path)).text()
  const first = await leastOf(() => Number(execFileSync(process.execPath, ['--input-type=module', '--eval', firstStart(resolve(bundle))])))
  const { startTestServer } = (await import(resolve(bundle))) as typeof testing
  const prepared = await startTestServer()
  await ask(prepared)
  const second = await leastOf(async () => {
    const began = performance.now()
    const another = await startTestServer()
    await ask(another)
    const milliseconds = performance.now() - began
    await another.close()
    return milliseconds
  })
  let server = await prepared.fork()
  const clients = new Map(samples.map((sample) => [sample, server.objects(sample.apiVersion, sample.kind)]))
  return {
    name: 'apiserver, in the process',
    ready: { first, second },
    create: async (sample, name) => void (await clients.get(sample)?.create(sample.named(name))),
    get: async (sample, name) => void (await clients.get(sample)?.get(name)),
    async reset() {
      await server.close()
      server = await prepared.fork()
      for (const sample of samples) clients.set(sample, server.objects(sample.apiVersion, sample.kind))
      await ask(server)
    },
    async stop() {
      await server.close()
      await prepared.close()
    },
  }
}
