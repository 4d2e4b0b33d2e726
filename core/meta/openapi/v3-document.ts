import { eachInSlices, type Slices } from '../../common/slices.ts'
import type { Json, JsonObject } from '../../schema/model.ts'
import type { Models } from './models.ts'
import type { Operation, PathItem } from './operations.ts'
import type { ApiInfo } from './options.ts'
import type { Parameter } from './parameters.ts'

/** An OpenAPI 3.0 document. */
export async function openApiDocument(
  info: ApiInfo,
  paths: readonly PathItem[],
  models: Models,
  security: JsonObject | undefined,
  slices: Slices,
): Promise<JsonObject> {
  const schemas = models.all()
  const items: JsonObject = {}
  await eachInSlices(
    [...paths].sort((a, b) => (a.path < b.path ? -1 : 1)),
    slices,
    (item) => {
      items[item.path] = pathItem(item)
    },
  )
  return {
    openapi: '3.0.0',
    info: { ...info },
    paths: items,
    components: {
      ...(Object.keys(schemas).length > 0 && { schemas: { ...schemas } }),
      ...(security && { securitySchemes: security }),
    },
  }
}

function pathItem({ parameters, operations }: PathItem): JsonObject {
  const item: JsonObject = {}
  for (const own of operations) item[own.method] = operation(own)
  if (parameters.length > 0) item['parameters'] = parameters.map(parameter)
  return item
}

/** The type is in a schema. */
const parameter = ({ in: place, name, description, type }: Parameter): JsonObject => ({
  name,
  in: place,
  ...(description !== '' && { description }),
  ...(place === 'path' && { required: true }),
  schema: { type, uniqueItems: true },
})

/** The same schema for each media type, sorted. */
const content = (schema: JsonObject, types: readonly string[]): JsonObject =>
  Object.fromEntries([...types].sort().map((type): [string, Json] => [type, { schema }]))

function operation({ id, description, tag, action, kind, parameters, body, consumes, produces, responses }: Operation): JsonObject {
  return {
    tags: [tag],
    description,
    operationId: id,
    ...(parameters.length > 0 && { parameters: parameters.map(parameter) }),
    ...(body && { requestBody: { content: content(body.schema, consumes), ...(body.required && { required: true }) } }),
    responses: Object.fromEntries(
      responses.map(({ code, description, schema }) => [code, { description, ...(schema && { content: content(schema, produces) }) }]),
    ),
    ...(action !== undefined && { 'x-kubernetes-action': action }),
    ...(kind && { 'x-kubernetes-group-version-kind': { ...kind } }),
  }
}
