import type { Platform } from '../../platform.ts'
import { Scale } from '../../resources/autoscaling/v1/scale.ts'
import type { ResourceDefinition } from '../../resources/definition.ts'
import { DeleteOptions, ListOptions, Status, WatchEvent } from '../../resources/meta/index.ts'
import { type Method, type Route, routesOf } from '../../resources/routes.ts'
import type { JsonObject, Message } from '../../schema/model.ts'
import { type ResourceRow, resourceRows } from '../resource-rows.ts'
import type { ServedVersion } from '../served.ts'
import type { ModelNames } from './model-names.ts'
import type { Models } from './models.ts'
import { operationNames, title } from './operation-names.ts'
import { type Operation, type PathItem, responses } from './operations.ts'
import { nameParameter, namespaceParameter, type Parameter, pathParameter, pretty, queryParameters } from './parameters.ts'
import { type VerbRow, verbRows, watchVerbs } from './verbs.ts'

const methodOrder: readonly Method[] = ['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE']

export interface PathsContext {
  readonly platform: Platform
  readonly names: ModelNames
  readonly models: Models
}

/** All paths of a group version's resources, with the operations of their discovery verbs. */
export function resourcePaths(version: ServedVersion, context: PathsContext): readonly PathItem[] {
  return version.definitions.flatMap((definition) => {
    const pathItem = createPathItem(version, definition, context)
    const rows = new Map(resourceRows(definition).map((row) => [row.subresource, row]))
    return routesOf(definition).flatMap((route) => {
      const row = rows.get(route.subresource)
      return row ? [pathItem(route, row)] : []
    })
  })
}

function createPathItem(
  { group, version, path }: ServedVersion,
  definition: ResourceDefinition,
  { platform, names, models }: PathsContext,
) {
  const { kind, namespaced } = definition
  const { id, tag } = operationNames(group, version, platform)
  const custom = names.custom(definition)
  const types = ['application/json', 'application/yaml', ...(custom ? [] : [platform.protobufType])]
  const streams = types.filter((type) => type !== 'application/yaml').map((type) => `${type};stream=watch`)
  const patches = ['json-patch+json', 'merge-patch+json', ...(custom ? [] : ['strategic-merge-patch+json']), 'apply-patch+yaml']
  const bodies = {
    patch: { consumes: patches.map((type) => `application/${type}`), required: true },
    delete: { consumes: types, required: false },
    object: { consumes: types, required: true },
  }

  const schemaOf = ({ subresource, verbs }: ResourceRow): JsonObject => {
    // A read-only subresource returns plain text.
    if (subresource !== '' && verbs.length === 1 && verbs[0] === 'get') return { type: 'string' }
    const own: Message | undefined = definition.subresources.find(({ name }) => name === subresource)?.schema
    if (own && own !== definition.schema) return models.message(own)
    return subresource === 'scale' ? models.message(Scale) : models.object(definition)
  }

  const answers: { readonly [answer in VerbRow['answer']]: (row: ResourceRow) => JsonObject } = {
    object: schemaOf,
    list: () => models.list(definition),
    status: () => models.message(Status),
    deleted: () => (definition.returnsDeleted ? models.object(definition) : models.message(Status)),
  }

  const operation = (verb: VerbRow, row: ResourceRow, all = false): Operation => {
    const { method, action, description, options, answer, codes } = verb
    const name = `${verb.id[1]}${namespaced && !all ? 'Namespaced' : ''}${kind}${title(row.subresource)}${all ? 'ForAllNamespaces' : ''}`
    const body = verb.body && {
      consumes: bodies[verb.body].consumes,
      body: {
        required: bodies[verb.body].required,
        schema:
          verb.body === 'object'
            ? schemaOf(row)
            : verb.body === 'delete'
              ? models.message(DeleteOptions)
              : models.machinery('apis.meta.v1.Patch', { type: 'object', description: 'A patch in one of the accepted formats.' }),
      },
    }
    const answered = answers[answer](row)
    return {
      method,
      id: id(verb.id[0], name),
      description: `${description} ${kind}${row.subresource === '' ? '' : ` through ${row.subresource}`}`,
      tag,
      action,
      kind: { group: row.group ?? group, version: row.version ?? version, kind: row.kind },
      parameters: queryParameters(options),
      consumes: ['*/*'],
      ...body,
      produces: answer === 'list' ? [...types, ...streams] : types,
      responses: responses(answered, ...codes),
    }
  }

  const connect = (row: ResourceRow, { methods, tail }: Route): Operation[] =>
    methodOrder
      .filter((method) => methods[method])
      .map((method) => method.toLowerCase() as Lowercase<Method>)
      .map((method) => ({
        method,
        id: id('connect', `${title(method)}${namespaced ? 'Namespaced' : ''}${kind}${title(row.subresource)}${tail ? 'WithPath' : ''}`),
        description: `connect to ${row.subresource} of a ${kind}`,
        tag,
        action: 'connect',
        kind: { group, version, kind: row.kind },
        parameters: [],
        consumes: ['*/*'],
        produces: ['*/*'],
        responses: responses({ type: 'string' }, 200),
      }))

  const watch = ({ infix, action, description }: (typeof watchVerbs)[keyof typeof watchVerbs], all = false): Operation => ({
    method: 'get',
    id: id('watch', `${namespaced && !all ? 'Namespaced' : ''}${kind}${infix}${all ? 'ForAllNamespaces' : ''}`),
    description: `${description} ${kind}; deprecated: list with the parameter watch instead`,
    tag,
    action,
    kind: { group, version, kind },
    parameters: queryParameters([ListOptions]),
    consumes: ['*/*'],
    produces: [...types, ...streams],
    responses: responses(models.message(WatchEvent), 200),
  })

  /** Parameters of a path, with the options of connect subresources. */
  function parameters({ scoped, named, tail, connects, subresource }: Route): readonly Parameter[] {
    const options = connects ? definition.subresources.filter(({ name }) => name === subresource).map(({ schema }) => schema) : []
    return [
      ...(named ? [nameParameter(kind)] : []),
      ...(scoped ? [namespaceParameter] : []),
      ...queryParameters(options),
      ...(tail ? [pathParameter] : []),
      ...(connects ? [] : [pretty]),
    ]
  }

  function operations(route: Route, row: ResourceRow): readonly Operation[] {
    const all = namespaced && !route.scoped
    if (route.connects) return connect(row, route)
    if (route.watch) return [watch(route.named ? watchVerbs.item : watchVerbs.collection, all)]
    return verbRows
      .filter(({ method, verb }) => route.methods[method.toUpperCase() as Method]?.includes(verb))
      .map((verb) => operation(verb, row, all))
  }

  return (route: Route, row: ResourceRow): PathItem => ({
    path: `${path}/${route.path}`,
    parameters: parameters(route),
    operations: operations(route, row),
  })
}
