/** A small API client for tests that sends exactly what it is given and returns status, headers and body. */
import assert from 'node:assert/strict'
import type { Status } from '../../core/answers/status.ts'
import type { Fetch } from './tls-fetch.ts'

/** The fields of API objects that tests use. */
export interface TestObject {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: TestMetadata
  readonly data?: { readonly [key: string]: string }
  readonly spec?: { readonly [field: string]: unknown }
  readonly status?: { readonly [field: string]: unknown }
}

export interface TestMetadata {
  readonly name: string
  readonly namespace?: string
  readonly uid: string
  readonly resourceVersion: string
  readonly generation?: number
  readonly creationTimestamp: string
  readonly deletionTimestamp?: string
  readonly deletionGracePeriodSeconds?: number
  readonly finalizers?: readonly string[]
  readonly labels?: { readonly [key: string]: string }
  readonly annotations?: { readonly [key: string]: string }
}

export interface TestList {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: { readonly resourceVersion: string; readonly continue?: string; readonly remainingItemCount?: number }
  readonly items: readonly TestObject[]
}

export interface Answer<T = TestObject> {
  readonly status: number
  readonly headers: Headers
  readonly body: T
}

export interface Api {
  readonly fetch: Fetch
  send<T = TestObject>(method: string, path: string, body?: unknown, headers?: HeadersInit): Promise<Answer<T>>
  get<T = TestObject>(path: string, headers?: HeadersInit): Promise<Answer<T>>
  list(path: string): Promise<TestList>
  create(path: string, object: object): Promise<TestObject>
  patch(path: string, patch: unknown, type?: string): Promise<Answer>
  delete<T = TestObject>(path: string, options?: object): Promise<Answer<T>>
}

/** `list` and `create` assert a status below 300. */
export function apiOf(fetch: Fetch): Api {
  async function send<T>(method: string, path: string, body?: unknown, headers: HeadersInit = {}): Promise<Answer<T>> {
    const sent = new Headers(headers)
    if (body !== undefined && !sent.has('content-type')) sent.set('content-type', 'application/json')
    const raw = typeof body === 'string' || body instanceof Uint8Array
    const content = body === undefined ? {} : { body: (raw ? body : JSON.stringify(body)) as BodyInit }
    const response = await fetch(path, { method, headers: sent, ...content })
    const text = await response.text()
    // The index of OpenAPI v3 is JSON as text/plain, as in the reference.
    const json = (response.headers.get('content-type')?.startsWith('application/json') && text !== '') || text.startsWith('{"')
    return { status: response.status, headers: response.headers, body: (json ? JSON.parse(text) : text) as T }
  }
  return {
    fetch,
    send,
    get: (path, headers) => send('GET', path, undefined, headers),
    async list(path) {
      const { status, body } = await send<TestList>('GET', path)
      assert.equal(status, 200, JSON.stringify(body))
      return body
    },
    async create(path, object) {
      const { status, body } = await send<TestObject>('POST', path, object)
      assert.equal(status, 201, JSON.stringify(body))
      return body
    },
    patch: (path, patch, type = 'application/merge-patch+json') => send('PATCH', path, patch, { 'content-type': type }),
    delete: (path, options) => send('DELETE', path, options),
  }
}

/** Asserts a failure: code and reason, and the message as text or pattern. Returns the Status. */
export function assertFailure(answer: Answer<unknown>, code: number, reason: string, message?: string | RegExp): Status {
  const status = answer.body as Status
  assert.equal(answer.status, code, JSON.stringify(status))
  assert.equal(answer.headers.get('content-type'), 'application/json')
  const { kind, apiVersion, metadata, status: outcome } = status
  assert.deepEqual({ kind, apiVersion, metadata, outcome }, { kind: 'Status', apiVersion: 'v1', metadata: {}, outcome: 'Failure' })
  assert.equal(status.code, code)
  assert.equal(status.reason, reason)
  if (typeof message === 'string') assert.equal(status.message, message)
  else if (message) assert.match(status.message ?? '', message)
  return status
}

export const configMap = (name: string, data: { readonly [key: string]: string } = {}, metadata: object = {}) => ({
  kind: 'ConfigMap',
  apiVersion: 'v1',
  metadata: { name, ...metadata },
  data,
})
