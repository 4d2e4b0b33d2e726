/** What the parts of the HTTP suite share: one server, and a namespace of its own for each test. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type Api, apiOf } from '../support/api.ts'
import type { Fetch } from '../support/tls-fetch.ts'

/** Of those that put objects of their own into namespaces only the one without whose accounts there are no pods, so that tests know what is there. */
export const suiteControllers: readonly string[] = ['garbage-collector', 'namespace', 'serviceaccount']

export interface ServerChoices {
  readonly watchCache?: boolean
  /** Milliseconds between compactions of the history; default: never. */
  readonly compactionInterval?: number
}

export interface OpenServer {
  /** Answers as to a user who may do everything; paths start with a slash. */
  readonly fetch: Fetch
  close(): Promise<void>
}

export type Open = (choices?: ServerChoices) => Promise<OpenServer>

/** What a test gets: a client, its namespace, and the URL of resources there. */
export interface Place {
  readonly api: Api
  readonly namespace: string
  /** URL of a resource in the core group, such as `at('configmaps/a')`. */
  at(rest: string): string
  /** URL of a resource in another group, such as `under('apps/v1', 'deployments')`. */
  under(groupVersion: string, rest: string): string
}

export type Run = (place: Place) => Promise<void>
export type On = (title: string, run: Run) => void

export async function newPlace(fetch: Fetch): Promise<Place> {
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
  /** Why the suite can't be run here. */
  readonly skip?: string | false
  /** Titles of tests that fail on this runtime, and why. A run fails when such a gap is closed. */
  readonly gaps?: { readonly [title: string]: string }
}

/** Describes parts of tests, all of which share one server. */
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
        await run(await newPlace(server.fetch))
      })
    }
    for (const [part, define] of Object.entries(parts)) describe(part, () => define(on))
  })
}

/** Asserts that what a collection holds is the same, to the byte, after `run`. */
export async function unchanged(api: Api, collection: string, run: () => Promise<unknown>): Promise<void> {
  const items = async () => (await api.list(collection)).items
  const first = await items()
  await run()
  assert.deepEqual(await items(), first)
}
