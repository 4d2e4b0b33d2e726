/** An in-process server, and tables of manifests with expected results. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { defaultAdmissionPlugins } from '../../../../core/admission/plugins/index.ts'
import { type InProcess, startInProcess } from '../../../support/in-process.ts'

export type Json = { [key: string]: unknown }

interface Cause {
  reason: string
  message: string
  field: string
}

export interface Answer {
  code: number
  body: Json & { metadata?: Json; spec?: Json; status?: Json; details?: { causes?: Cause[] }; message?: string }
}

let server: InProcess

/** Starts a server for the tests of a file, without admission plugins, so that only the kinds themselves are tested. */
export function withServer(): void {
  before(async () => {
    server = await startInProcess({ admissionPlugins: { disable: defaultAdmissionPlugins } })
  })
  after(() => server.close())
}

export async function send(method: string, path: string, sent?: unknown): Promise<Answer> {
  const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json'
  const { status, body } = await server.api.send<Answer['body']>(method, path, sent, { 'content-type': type })
  return { code: status, body }
}

let count = 0
export const freshName = () => `x${++count}`

/** `field: message` of each cause. */
export function causesOf({ code, body }: Answer): string[] {
  assert.equal(code, 422, JSON.stringify(body))
  return (body.details?.causes ?? []).map(({ field, message }) => `${field}: ${message}`)
}

function at(object: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>((value, key) => (value as Json | undefined)?.[key], object)
}

export type Stored = readonly [title: string, manifest: Json, expected: { readonly [path: string]: unknown }]
export type Refused = readonly [title: string, manifest: Json, ...causes: string[]]

const named = (manifest: Json): Json => ({ ...manifest, metadata: { name: freshName(), ...(manifest['metadata'] as Json | undefined) } })

/** Creates each manifest and compares parts of the stored object; `undefined` means absent. */
export function storedCases(path: string, cases: readonly Stored[]): void {
  for (const [title, manifest, expected] of cases) {
    test(`${path}: ${title}`, async () => {
      const { code, body } = await send('POST', path, named(manifest))
      assert.equal(code, 201, JSON.stringify(body))
      const found = Object.fromEntries(Object.keys(expected).map((each) => [each, at(body, each)]))
      assert.deepEqual(found, expected)
    })
  }
}

/** Creates each manifest and compares the causes of its refusal, in order. */
export function refusedCases(path: string, cases: readonly Refused[]): void {
  for (const [title, manifest, ...causes] of cases) {
    test(`${path} refuses ${title}`, async () => assert.deepEqual(causesOf(await send('POST', path, named(manifest))), causes))
  }
}

export type Updated = readonly [title: string, manifest: Json, patch: Json, ...causes: string[]]

/**
 * Creates and patches each manifest and compares the causes; none means that the patch is accepted. Only the first line
 * of a cause is compared.
 */
export function updatedCases(path: string, cases: readonly Updated[]): void {
  for (const [title, manifest, patch, ...causes] of cases) {
    test(`${path} update: ${title}`, async () => {
      const object = named(manifest)
      const created = await send('POST', path, object)
      assert.equal(created.code, 201, JSON.stringify(created.body))
      const answer = await send('PATCH', `${path}/${(object['metadata'] as Json)['name']}`, patch)
      if (causes.length === 0) assert.equal(answer.code, 200, JSON.stringify(answer.body))
      else
        assert.deepEqual(
          causesOf(answer).map((cause) => cause.split('\n')[0]),
          causes,
        )
    })
  }
}
