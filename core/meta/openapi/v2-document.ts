import { eachInSlices, type Slices } from '../../common/slices.ts'
import type { JsonObject } from '../../schema/model.ts'
import { bearerToken } from './dialect.ts'
import type { Models } from './models.ts'
import type { Operation, PathItem } from './operations.ts'
import type { ApiInfo } from './options.ts'
import type { Parameter } from './parameters.ts'
import { createSharedParameters, type SharedParameters } from './shared-parameters.ts'

/** A Swagger 2.0 document. */
export async function swaggerDocument(info: ApiInfo, paths: readonly PathItem[], models: Models, slices: Slices): Promise<JsonObject> {
  const shared = createSharedParameters(models)
  const items: JsonObject = {}
  await eachInSlices(sorted(paths), slices, (item) => {
    items[item.path] = pathItem(item, shared)
  })
  return {
    swagger: '2.0',
    info: { ...info },
    paths: items,
    definitions: { ...models.all() },
    parameters: shared.all(),
    securityDefinitions: bearerToken.v2,
    security: [{ BearerToken: [] }],
  }
}

const sorted = (paths: readonly PathItem[]) => [...paths].sort((a, b) => (a.path < b.path ? -1 : 1))

function pathItem({ parameters, operations }: PathItem, shared: SharedParameters): JsonObject {
  const item: JsonObject = {}
  for (const own of operations) item[own.method] = operation(own, shared)
  if (parameters.length > 0) item['parameters'] = parameters.map((each) => shared.refer(parameter(each)))
  return item
}

/** The type is part of the parameter. */
const parameter = ({ in: place, name, description, type }: Parameter): JsonObject => ({
  uniqueItems: true,
  type,
  ...(description !== '' && { description }),
  name,
  in: place,
  ...(place === 'path' && { required: true }),
})

function operation(
  { id, description, tag, action, kind, parameters, body, consumes, produces, responses }: Operation,
  shared: SharedParameters,
): JsonObject {
  const all = parameters.map(parameter)
  if (body) all.push({ name: 'body', in: 'body', ...(body.required && { required: true }), schema: body.schema })
  const own = all.sort((a, b) => (String(a['name']) < String(b['name']) ? -1 : 1)).map(shared.refer)
  return {
    description,
    ...(consumes.length > 0 && { consumes: [...consumes] }),
    produces: [...produces],
    schemes: ['https'],
    tags: [tag],
    operationId: id,
    ...(own.length > 0 && { parameters: own }),
    responses: Object.fromEntries(responses.map(({ code, description, schema }) => [code, { description, ...(schema && { schema }) }])),
    ...(action !== undefined && { 'x-kubernetes-action': action }),
    ...(kind && { 'x-kubernetes-group-version-kind': { group: kind.group, kind: kind.kind, version: kind.version } }),
  }
}
