/** Tables of manifests, run through an in-process server. */

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { parseFeatureGates } from '../../../core/config/feature-gates.ts'
import { createPlatform } from '../../../core/platform.ts'
import { kindGatePairs } from '../../support/all-kinds.ts'
import { type CoreOptions, startCore } from '../../support/core-server.ts'

export type Manifest = { [key: string]: unknown }
export interface Answer {
  readonly code: number
  readonly body: Manifest & { readonly metadata: Manifest }
  readonly warnings: readonly string[]
}
export interface Client {
  send(method: string, path: string, body?: unknown, contentType?: string, accept?: string): Promise<Answer>
}

/** All feature gates enabled. */
export const allGates = { enabled: () => true }

/** A server without authorization, closed after the tests of the file. */
export async function startServer(settings: CoreOptions = {}): Promise<Client> {
  const gates = parseFeatureGates(kindGatePairs, createPlatform())
  const alone = { serves: () => true, gates, controllers: [], admissionPlugins: { disable: ['ServiceAccount'] } }
  const server = await startCore({ ...alone, ...settings })
  after(() => server.close())
  return {
    async send(method, path, body, contentType = 'application/json', accept = 'application/json') {
      const response = await server.fetch(
        new Request(`http://api${path}`, {
          method,
          headers: { 'content-type': contentType, accept },
          ...(body !== undefined && { body: JSON.stringify(body) }),
        }),
      )
      const warnings = [...(response.headers.get('warning') ?? '').matchAll(/299 - "((?:[^"\\]|\\.)*)"/g)].map((match) =>
        (match[1] ?? '').replaceAll('\\"', '"'),
      )
      return { code: response.status, body: (await response.json()) as Answer['body'], warnings }
    },
  }
}

/** `field: message` of every cause of a refusal. */
export function causesOf({ body }: Answer): string[] {
  const details = body['details'] as { causes?: { field: string; message: string }[] } | undefined
  return (details?.causes ?? []).map(({ field, message }) => `${field}: ${message}`)
}

/** A copy with the values of `changes` at their paths (`spec.replicas`, `spec.rules.0.host`); undefined removes. */
export function withChanges<T extends Manifest>(manifest: T, changes: { readonly [path: string]: unknown }): T {
  // Not structuredClone: parts that a manifest uses twice must become two.
  const copy = JSON.parse(JSON.stringify(manifest)) as T
  for (const [path, value] of Object.entries(changes)) {
    const names = path.split(/(?<!\\)\./).map((name) => name.replaceAll('\\.', '.'))
    const last = names.pop() ?? ''
    const parent = names.reduce<Manifest>((at, name) => {
      at[name] ??= {}
      return at[name] as Manifest
    }, copy)
    if (value === undefined) delete parent[last]
    else parent[last] = value
  }
  return copy
}

const isObject = (value: unknown): value is Manifest => typeof value === 'object' && value !== null && !Array.isArray(value)

/** The part of `actual` that `expected` mentions; undefined in `expected` means absent. */
function picked(actual: unknown, expected: unknown): unknown {
  if (Array.isArray(expected) && Array.isArray(actual)) return actual.map((item, index) => picked(item, expected[index]))
  if (!isObject(expected) || !isObject(actual)) return actual
  return Object.fromEntries(Object.entries(expected).map(([key, value]) => [key, picked(actual[key], value)]))
}

export function assertHas(actual: unknown, expected: unknown): void {
  assert.deepEqual(picked(actual, expected), expected)
}

type Changes = { readonly [path: string]: unknown }

/** A collection and a valid manifest for it. */
export interface Subject {
  readonly path: string
  /** The name is significant and must not be replaced. */
  readonly fixedName?: true
  readonly manifest: Manifest & { metadata: Manifest }
}

/** Invalid changes of the manifest, with all causes of the refusal in order. */
export type Refusals = readonly (readonly [title: string, changes: Changes, causes: readonly string[]])[]
/** Valid changes of the manifest, with parts of the stored object. */
export type Stored = readonly (readonly [title: string, changes: Changes, stored: unknown])[]
/** Changes of a stored object, with all causes of the refusal; none if the update is accepted. */
export type Updates = Refusals

/** Declares one test per row. */
export function tables(
  client: Promise<Client>,
  { path, manifest, fixedName }: Subject,
  rows: { stored?: Stored; refused?: Refusals; updates?: Updates },
): void {
  const kind = String(manifest['kind'])
  for (const [title, changes, stored] of rows.stored ?? []) {
    test(`${kind} is stored: ${title}`, async () => {
      const answer = await (await client).send('POST', `${path}?dryRun=All`, withChanges(manifest, changes))
      assert.equal(answer.code, 201, JSON.stringify(answer.body))
      assertHas(answer.body, stored)
    })
  }
  for (const [title, changes, causes] of rows.refused ?? []) {
    test(`${kind} is refused: ${title}`, async () => {
      const answer = await (await client).send('POST', `${path}?dryRun=All`, withChanges(manifest, changes))
      assert.equal(answer.code, 422, JSON.stringify(answer.body))
      assert.deepEqual(causesOf(answer), causes)
    })
  }
  for (const [index, [title, changes, causes]] of (rows.updates ?? []).entries()) {
    test(`${kind} is updated: ${title}`, async () => {
      const { send } = await client
      // A separate name, because a deletion may wait for finalizers.
      const name = !fixedName ? `${manifest.metadata['name']}-${index}` : manifest.metadata['name']
      const made = await send('POST', path, withChanges(manifest, { 'metadata.name': name }))
      assert.equal(made.code, 201, JSON.stringify(made.body))
      try {
        const answer = await send('PUT', `${path}/${name}`, withChanges(made.body, changes))
        assert.equal(answer.code, causes.length === 0 ? 200 : 422, JSON.stringify(answer.body))
        assert.deepEqual(causesOf(answer), causes)
      } finally {
        await send('DELETE', `${path}/${name}`)
      }
    })
  }
}
