/** Client of the server's own controllers: in-process requests, through all of admission, as a privileged user. */

import type { Platform } from '../platform.ts'
import type { DeleteOptions } from '../registry/delete.ts'
import { HeldBody } from '../request/held-body.ts'
import { LightRequest } from '../request/light-request.ts'
import type { ApiObject, ResourceDefinition } from '../resources/definition.ts'
import { LightHeaders } from '../respond/light-headers.ts'
import type { Status } from '../respond/status.ts'
import { printJson } from '../schema/json-text.ts'

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
  deleteCollection(namespace: string): Promise<void>
}

export type Client = (definition: Pick<ResourceDefinition, 'group' | 'version' | 'names' | 'namespaced'>) => ResourceClient

const missing = 404
const encoder = new TextEncoder()

/** Field manager of the server's own writes. */
export const serverManager = ({ component }: Platform) => `${component}-apiserver`

/** Field manager of the built-in controllers, which stand in for a controller manager. */
export const controllerManager = ({ component }: Platform) => `${component}-controller-manager`

/** A client over a fetch handler; `manager` is the field manager of its writes. */
export function createClient(fetch: (request: Request) => Promise<Response>, manager: string): Client {
  const agent = ['user-agent', manager]
  async function send(method: string, path: string, object?: object, contentType = 'application/json'): Promise<ApiObject> {
    const bytes = object && encoder.encode(printJson(object))
    const fields = bytes ? [...agent, 'content-type', contentType, 'content-length', String(bytes.length)] : [...agent]
    const body = bytes ? new HeldBody(bytes) : null
    const response = await fetch(new LightRequest(method, path, LightHeaders.of(fields), body))
    const answer: unknown = await response.json()
    if (!response.ok) throw new RequestFailed(answer as Status)
    return answer as ApiObject
  }

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
        await send('DELETE', collection(namespace))
      },
    }
  }
}

/** Whether a failure is due to outdated state, so that the next event of the object makes the retry. */
export function isStale(error: unknown): boolean {
  return error instanceof RequestFailed && ['NotFound', 'Conflict', 'AlreadyExists'].includes(error.status.reason ?? '')
}
