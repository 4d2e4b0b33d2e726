/** Shared by the parts of the HTTP suite: one server, and a namespace for each test. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type Api, apiOf } from '../support/api.ts'
import type { Fetch } from '../support/tls-fetch.ts'

export { suiteControllers } from './suite-controllers.ts'

export interface ServerChoices {
  readonly watchCache?: boolean
  /** Milliseconds between compactions of the history; default: never. */
  readonly compactionInterval?: number
}

export interface OpenServer {
  /** Requests run as a user with all rights; paths start with a slash. */
  readonly fetch: Fetch
  close(): Promise<void>
}

export type Open = (choices?: ServerChoices) => Promise<OpenServer>

/** A client, the namespace of the test, and URLs of resources in it. */
export interface TestNamespace {
  readonly api: Api
  readonly namespace: string
  /** URL of a resource in the core group, such as `at('configmaps/a')`. */
  at(rest: string): string
  /** URL of a resource in another group, such as `under('apps/v1', 'deployments')`. */
  under(groupVersion: string, rest: string): string
}

export type Run = (space: TestNamespace) => Promise<void>
export type On = (title: string, run: Run) => void

export async function newTestNamespace(fetch: Fetch): Promise<TestNamespace> {
  const api = apiOf(fetch)
  const { metadata } = await api.create('/api/v1/namespaces', { kind: 'Namespace', apiVersion: 'v1', metadata: { generateName: 't-' } })
  const namespace = metadata.name
  return {
    api,
    namespace,
    at: (rest) => `/api/v1/namespaces/${namespace}/${rest}`,
    under: (groupVersion, rest) => `/apis/${groupVersion}/namespaces/${namespace}/${rest}`,
  }
}

export interface Limits {
  /** Reason for skipping the suite, or false. */
  readonly skip?: string | false
  /** Titles of tests that fail on this runtime, with the reason. A run fails when such a gap is closed. */
  readonly gaps?: { readonly [title: string]: string }
}

/** Describes parts of a suite that share one server. */
export function describeHttp(
  title: string,
  open: Open,
  parts: { readonly [title: string]: (on: On) => void },
  { skip = false, gaps = {} }: Limits = {},
): void {
  describe(title, { skip }, () => {
    let server: OpenServer | undefined
    before(async () => {
      server = await open()
    })
    after(() => server?.close())
    const on: On = (name, run) => {
      const gap = gaps[name]
      test(name, gap === undefined ? {} : { todo: gap }, async () => {
        assert(server)
        await run(await newTestNamespace(server.fetch))
      })
    }
    for (const [part, define] of Object.entries(parts)) describe(part, () => define(on))
  })
}

/** Asserts that `run` does not change a collection by a single byte. */
export async function unchanged(api: Api, collection: string, run: () => Promise<unknown>): Promise<void> {
  const items = async () => (await api.list(collection)).items
  const first = await items()
  await run()
  assert.deepEqual(await items(), first)
}
