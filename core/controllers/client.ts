/** Client of the server's own controllers: in-process requests, through all of admission, as a privileged user. */

import { LightHeaders } from '../answers/light-headers.ts'
import { reasonOfCode, textOfCode } from '../answers/server-response.ts'
import { ApiError, type Status } from '../answers/status.ts'
import type { DeleteOptions } from '../objects/registry/delete.ts'
import { readText } from '../outgoing/read-text.ts'
import type { Platform } from '../platform.ts'
import { HeldBody } from '../request/held-body.ts'
import { LightRequest } from '../request/light-request.ts'
import type { ApiObject, ObjectMeta, ResourceDefinition } from '../resources/definition.ts'
import { isObject } from '../schema/json/is-object.ts'
import { parseJsonText, printJson } from '../schema/json/text.ts'

/** A request failed with this Status. */
export class RequestFailed extends Error {
  override readonly name = 'RequestFailed'
  readonly status: Status
  constructor(status: Status) {
    super(status.message ?? status.reason ?? 'request failed')
    this.status = status
  }
}

/** A client for one resource. Reads return undefined for missing objects; other failures are a RequestFailed. */
export interface ResourceClient {
  get(namespace: string, name: string): Promise<ApiObject | undefined>
  create(namespace: string, object: ApiObject): Promise<ApiObject>
  update(object: ApiObject, subresource?: string): Promise<ApiObject>
  /** RFC 7396. */
  mergePatch(namespace: string, name: string, patch: object, subresource?: string): Promise<ApiObject>
  /** Server-side apply, which takes over fields of other managers. */
  apply(object: ApiObject, subresource?: string): Promise<ApiObject>
  delete(namespace: string, name: string, options?: DeleteOptions): Promise<void>
  /** Deletes all objects of a namespace; the garbage collector deletes their dependents. */
  deleteCollection(namespace: string): Promise<void>
  /** Metadata of all objects of a namespace. */
  list(namespace: string): Promise<readonly ObjectMeta[]>
}

/** Where a resource is served. */
export interface ClientResource extends Pick<ResourceDefinition, 'group' | 'version' | 'namespaced'> {
  readonly names: { readonly plural: string }
}

export type Client = (resource: ClientResource) => ResourceClient

const missing = 404
/** Objects of one page of a list. */
const pageSize = 500
const maxPages = 1000
/** Maximum size of a list's page, or of an error. */
const maxAnswerBytes = 64 * 1024 * 1024
const encoder = new TextEncoder()

const inBackground = { kind: 'DeleteOptions', apiVersion: 'v1', propagationPolicy: 'Background' }

interface Page {
  readonly metadata?: { readonly continue?: string }
  readonly items?: readonly { readonly metadata: ObjectMeta }[] | null
}

/** Field manager of the server's own writes. */
export const serverManager = ({ component }: Platform) => `${component}-apiserver`

/** Field manager of the built-in controllers, which stand in for a controller manager. */
export const controllerManager = ({ component }: Platform) => `${component}-controller-manager`

/** What a failed response says. That of another server may be no Status. */
async function statusOf(response: Response): Promise<Status> {
  const code = response.status
  const text = await readText(response, maxAnswerBytes)
  try {
    const said = parseJsonText(text)
    if (isObject(said) && said['kind'] === 'Status') return said as unknown as Status
  } catch {
    // Reported below.
  }
  const reason = reasonOfCode(code)
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: textOfCode(code, text),
    ...(reason && { reason }),
    code,
  }
}

/** A client over a fetch handler; `manager` is the field manager of its writes. */
export function createClient(fetch: (request: Request) => Promise<Response>, manager: string): Client {
  const agent = ['user-agent', manager]
  async function call(method: string, path: string, object?: object, contentType = 'application/json'): Promise<Response> {
    const bytes = object && encoder.encode(printJson(object))
    const fields = bytes ? [...agent, 'content-type', contentType, 'content-length', String(bytes.length)] : [...agent]
    const body = bytes ? new HeldBody(bytes) : null
    const response = await fetch(new LightRequest(method, path, LightHeaders.of(fields), body))
    if (!response.ok) throw new RequestFailed(await statusOf(response))
    return response
  }
  const send = async (...request: Parameters<typeof call>) => (await (await call(...request)).json()) as ApiObject

  return ({ group, version, names, namespaced }) => {
    const root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`
    const collection = (namespace: string) => `${root}${namespaced ? `/namespaces/${namespace}` : ''}/${names.plural}`
    const one = (namespace: string, name: string) => `${collection(namespace)}/${encodeURIComponent(name)}`
    return {
      async get(namespace, name) {
        try {
          return await send('GET', one(namespace, name))
        } catch (error) {
          if (error instanceof RequestFailed && error.status.code === missing) return undefined
          throw error
        }
      },
      create: (namespace, object) => send('POST', collection(namespace), object),
      update: (object, subresource) =>
        send('PUT', `${one(object.metadata.namespace ?? '', object.metadata.name ?? '')}${subresource ? `/${subresource}` : ''}`, object),
      mergePatch: (namespace, name, patch, subresource) =>
        send('PATCH', `${one(namespace, name)}${subresource ? `/${subresource}` : ''}`, patch, 'application/merge-patch+json'),
      apply: (object, subresource) => {
        const path = `${one(object.metadata.namespace ?? '', object.metadata.name ?? '')}${subresource ? `/${subresource}` : ''}`
        return send('PATCH', `${path}?force=true&fieldManager=${encodeURIComponent(manager)}`, object, 'application/apply-patch+yaml')
      },
      async delete(namespace, name, options) {
        await send('DELETE', one(namespace, name), { kind: 'DeleteOptions', apiVersion: 'v1', ...options })
      },
      async deleteCollection(namespace) {
        await send('DELETE', collection(namespace), inBackground)
      },
      async list(namespace) {
        const found: ObjectMeta[] = []
        let next = ''
        for (let pages = 0; pages < maxPages; pages++) {
          const query = `?limit=${pageSize}${next === '' ? '' : `&continue=${encodeURIComponent(next)}`}`
          const answer = await call('GET', collection(namespace) + query)
          const page = parseJsonText(await readText(answer, maxAnswerBytes)) as unknown as Page
          for (const { metadata } of page.items ?? []) found.push(metadata)
          next = page.metadata?.continue ?? ''
          if (next === '') return found
        }
        throw new Error(`more than ${maxPages} pages of ${names.plural}`)
      },
    }
  }
}

/** Whether a write failed because what is stored is not what it was made for. */
export const isStale = (error: unknown): boolean =>
  (error instanceof RequestFailed || error instanceof ApiError) &&
  ['NotFound', 'Conflict', 'AlreadyExists'].includes(error.status.reason ?? '')

/**
 * A write of the server itself, with what it reads for that, in up to `tries` tries. Resolves to false when each found that something else had been
 * written first: its event makes the retry. Rejects with other failures.
 */
export async function ownWrite(write: () => Promise<unknown>, tries = 1): Promise<boolean> {
  for (let left = tries; left > 0; left--) {
    try {
      await write()
      return true
    } catch (error) {
      if (!isStale(error)) throw error
    }
  }
  return false
}
