import { eachInSlices, type Slices } from '../../common/slices.ts'
import type { Platform } from '../../platform.ts'
import { Scale } from '../../resources/autoscaling/v1/scale.ts'
import type { ResourceDefinition } from '../../resources/definition.ts'
import { DeleteOptions, ListOptions, Status, WatchEvent } from '../../resources/meta/index.ts'
import { type Method, type Route, routesOf } from '../../resources/routes.ts'
import type { JsonObject } from '../../schema/model.ts'
import { type ResourceRow, resourceRows } from '../resource-rows.ts'
import type { ServedVersion } from '../served.ts'
import { isAsWritten } from './model-names.ts'
import type { Models } from './models.ts'
import { operationNames, title } from './operation-names.ts'
import { type Operation, type PathItem, pathItem, responses } from './operations.ts'
import { nameParameter, namespaceParameter, type Parameter, pathParameter, pretty, queryParameters } from './parameters.ts'
import { anyType, builtInOperations, customOperations, type VerbRow, watchVerbs } from './verbs.ts'

const methodOrder: readonly Method[] = ['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE']

export interface PathsContext {
  readonly platform: Platform
  readonly models: Models
  readonly cbor?: boolean | undefined
}

/** All paths of a group version's resources, with the operations of their discovery verbs. Adds their models. */
export async function resourcePaths(version: ServedVersion, context: PathsContext, slices: Slices): Promise<readonly PathItem[]> {
  const items: PathItem[] = []
  await eachInSlices(version.definitions, slices, (definition) => {
    const itemOf = createPathItem(version, definition, context)
    const rows = new Map(resourceRows(definition).map((row) => [row.subresource, row]))
    // Custom resources don't publish the deprecated paths below `watch/`.
    const routes = routesOf(definition).filter(({ watch }) => !watch || !isAsWritten(definition))
    for (const route of routes) {
      const row = rows.get(route.subresource)
      if (row) items.push(itemOf(route, row))
    }
  })
  return items
}

function createPathItem({ group, version, path }: ServedVersion, definition: ResourceDefinition, { platform, models, cbor }: PathsContext) {
  const { kind, namespaced } = definition
  const { id, tag } = operationNames(group, version, platform)
  const custom = isAsWritten(definition)
  const { rows, patches, bodies, types, streams } = custom ? customOperations : builtInOperations(platform, cbor)

  const schemaOf = ({ subresource }: ResourceRow): JsonObject => {
    const own = definition.subresources.find(({ name }) => name === subresource)
    if (own?.text) return { type: 'string' }
    if (own && own.schema !== definition.schema) return models.message(own.schema)
    return subresource === 'scale' ? models.message(Scale) : models.object(definition)
  }

  const answers: { readonly [answer in VerbRow['answer']]: (row: ResourceRow) => JsonObject } = {
    object: schemaOf,
    list: () => models.list(definition),
    status: () => models.message(Status),
    deleted: () => (definition.returnsDeleted ? models.object(definition) : models.message(Status)),
  }

  const subresourceOf = ({ subresource }: Route) => definition.subresources.find(({ name }) => name === subresource)

  /** Parameters of the path itself. */
  const inPath = ({ scoped, named, tail }: Route): readonly Parameter[] => [
    ...(named ? [nameParameter(kind)] : []),
    ...(scoped ? [namespaceParameter] : []),
    ...(tail ? [pathParameter] : []),
  ]

  const operation = (verb: VerbRow, row: ResourceRow, route: Route): Operation => {
    const all = namespaced && !route.scoped
    const { method, action, description, options, without, answer, codes } = verb
    // Only there the reference writes a small first letter of a kind as a capital.
    const name = all
      ? `${verb.id[1]}${title(kind)}${title(row.subresource)}ForAllNamespaces`
      : `${verb.id[1]}${namespaced ? 'Namespaced' : ''}${kind}${title(row.subresource)}`
    const bodySchema = {
      object: () => schemaOf(row),
      delete: () => models.message(DeleteOptions),
      patch: () => models.machinery('apis.meta.v1.Patch', { description: 'A patch in one of the accepted formats.', type: 'object' }),
    }
    const text = subresourceOf(route)?.text
    return {
      method,
      id: id(verb.id[0], name),
      description: `${description} ${kind}${row.subresource === '' ? '' : ` through ${row.subresource}`}`,
      tag,
      action,
      kind: custom ? { group, version, kind } : { group: row.group ?? group, version: row.version ?? version, kind: row.kind },
      parameters: [...inPath(route), pretty, ...queryParameters(text ? [...options, text.options] : options, without)],
      consumes: verb.body === 'patch' ? patches : bodies,
      ...(verb.body && { body: { required: verb.body !== 'delete', schema: bodySchema[verb.body]() } }),
      produces: [...(text ? ['text/plain'] : []), ...types, ...(answer === 'list' ? streams : [])],
      responses: responses(answers[answer](row), ...codes),
    }
  }

  const connect = (row: ResourceRow, route: Route): Operation[] =>
    methodOrder
      .filter((method) => route.methods[method])
      .map((method) => method.toLowerCase() as Lowercase<Method>)
      .map((method) => ({
        method,
        id: id(
          'connect',
          `${title(method)}${namespaced ? 'Namespaced' : ''}${kind}${title(row.subresource)}${route.tail ? 'WithPath' : ''}`,
        ),
        description: `connect to ${row.subresource} of a ${kind}`,
        tag,
        action: 'connect',
        kind: { group, version, kind: row.kind },
        parameters: [
          ...inPath(route),
          ...queryParameters(definition.subresources.filter(({ name }) => name === route.subresource).map(({ schema }) => schema)),
        ],
        consumes: anyType,
        produces: anyType,
        responses: responses({ type: 'string' }, 200),
      }))

  const watch = ({ infix, action, description }: (typeof watchVerbs)[keyof typeof watchVerbs], route: Route): Operation => {
    const all = namespaced && !route.scoped
    return {
      method: 'get',
      id: id('watch', `${namespaced && !all ? 'Namespaced' : ''}${kind}${infix}${all ? 'ForAllNamespaces' : ''}`),
      description: `${description} ${kind}; deprecated: list with the parameter watch instead`,
      tag,
      action,
      kind: { group, version, kind },
      parameters: [...inPath(route), pretty, ...queryParameters([ListOptions])],
      consumes: anyType,
      produces: [...types, ...streams],
      responses: responses(models.message(WatchEvent), 200),
    }
  }

  function operations(route: Route, row: ResourceRow): readonly Operation[] {
    if (route.connects) return connect(row, route)
    if (route.watch) return [watch(route.named ? watchVerbs.item : watchVerbs.collection, route)]
    return rows
      .filter(({ method, verb }) => route.methods[method.toUpperCase() as Method]?.includes(verb))
      .map((verb) => operation(verb, row, route))
  }

  return (route: Route, row: ResourceRow): PathItem => pathItem(`${path}/${route.path}`, operations(route, row))
}
