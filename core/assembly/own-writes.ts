/** Objects that admission plugins write themselves. */
import type { OwnWrites } from '../admission/context.ts'
import { ApiError, type Reason } from '../answers/status.ts'
import { createClient, RequestFailed, serverManager } from '../controllers/client.ts'
import type { Platform } from '../platform.ts'
import type { ApiObject } from '../resources/definition.ts'

/** Converts a failed request to the ApiError that plugins expect, with its code and details. */
function asApiError({ status }: RequestFailed): ApiError {
  const { reason = 'InternalError', message = '', details, code } = status
  return new ApiError(reason as Reason, message, details, code)
}

/** `fetch` sends requests with the server's own identity. */
export function createOwnWrites(fetch: (request: Request) => Promise<Response>, platform: Platform): OwnWrites {
  const client = createClient(fetch, serverManager(platform))
  const resource = (plural: string, { metadata }: ApiObject) =>
    client({ group: '', version: 'v1', names: { plural }, namespaced: metadata.namespace !== undefined })
  async function done(answer: Promise<ApiObject>): Promise<ApiObject> {
    try {
      return await answer
    } catch (error) {
      throw error instanceof RequestFailed ? asApiError(error) : error
    }
  }
  return {
    create: (plural, object) => done(resource(plural, object).create(object.metadata.namespace ?? '', object)),
    updateStatus: (plural, object) => done(resource(plural, object).update(object, 'status')),
  }
}
