import type { Json, JsonObject } from '../../schema/model.ts'
import type { Models } from './models.ts'
import type { Operation, PathItem } from './operations.ts'
import type { ApiInfo } from './options.ts'
import { openApiParameter } from './parameters.ts'

/** An OpenAPI 3.0 document. */
export function openApiDocument(info: ApiInfo, paths: readonly PathItem[], models: Models): JsonObject {
  return {
    openapi: '3.0.0',
    info: { ...info },
    paths: Object.fromEntries(paths.map((item) => [item.path, pathItem(item)])),
    components: {
      schemas: { ...models.all() },
      securitySchemes: {
        BearerToken: { type: 'apiKey', name: 'authorization', in: 'header', description: 'Bearer token' },
      },
    },
    security: [{ BearerToken: [] }],
  }
}

function pathItem({ parameters, operations }: PathItem): JsonObject {
  const item: JsonObject = {}
  for (const own of operations) item[own.method] = operation(own)
  if (parameters.length > 0) item['parameters'] = parameters.map(openApiParameter)
  return item
}

function operation({ id, description, tag, action, kind, parameters, body, consumes, produces, responses }: Operation): JsonObject {
  const content = (schema: JsonObject, types: readonly string[]): JsonObject =>
    Object.fromEntries(types.map((type): [string, Json] => [type, { schema }]))
  return {
    tags: [tag],
    description,
    operationId: id,
    ...(parameters.length > 0 && { parameters: parameters.map(openApiParameter) }),
    ...(body && { requestBody: { content: content(body.schema, consumes), ...(body.required && { required: true }) } }),
    responses: Object.fromEntries(
      responses.map(({ code, description, schema }) => [code, { description, ...(schema && { content: content(schema, produces) }) }]),
    ),
    ...(action !== undefined && { 'x-kubernetes-action': action }),
    ...(kind && { 'x-kubernetes-group-version-kind': { ...kind } }),
  }
}
