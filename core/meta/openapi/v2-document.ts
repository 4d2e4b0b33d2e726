import type { JsonObject } from '../../schema/model.ts'
import type { Models } from './models.ts'
import type { Operation, PathItem } from './operations.ts'
import type { ApiInfo } from './options.ts'
import { swaggerParameter } from './parameters.ts'

/** A Swagger 2.0 document. */
export function swaggerDocument(info: ApiInfo, paths: readonly PathItem[], models: Models): JsonObject {
  return {
    swagger: '2.0',
    info: { ...info },
    paths: Object.fromEntries(paths.map((item) => [item.path, pathItem(item)])),
    definitions: { ...models.all() },
    securityDefinitions: {
      BearerToken: { type: 'apiKey', name: 'authorization', in: 'header', description: 'Bearer token' },
    },
    security: [{ BearerToken: [] }],
  }
}

function pathItem({ parameters, operations }: PathItem): JsonObject {
  const item: JsonObject = {}
  for (const own of operations) item[own.method] = operation(own)
  if (parameters.length > 0) item['parameters'] = parameters.map(swaggerParameter)
  return item
}

function operation({ id, description, tag, action, kind, parameters, body, consumes, produces, responses }: Operation): JsonObject {
  const own = parameters.map(swaggerParameter)
  if (body) own.unshift({ name: 'body', in: 'body', ...(body.required && { required: true }), schema: body.schema })
  return {
    tags: [tag],
    description,
    operationId: id,
    consumes: [...consumes],
    produces: [...produces],
    schemes: ['https'],
    ...(own.length > 0 && { parameters: own }),
    responses: Object.fromEntries(responses.map(({ code, description, schema }) => [code, { description, ...(schema && { schema }) }])),
    ...(action !== undefined && { 'x-kubernetes-action': action }),
    ...(kind && { 'x-kubernetes-group-version-kind': { ...kind } }),
  }
}
