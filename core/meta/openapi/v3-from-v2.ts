/**
 * OpenAPI 3.0 documents from Swagger 2.0 ones, for servers that have only those (the openapiconv package of the reference). What only Swagger has, such as
 * default media types of the whole document, is lost.
 */

import { eachInSlices, type Slices } from '../../common/slices.ts'
import { isObject } from '../../schema/json/is-object.ts'
import { set } from '../../schema/json/members.ts'
import type { Json, JsonObject } from '../../schema/model.ts'

type Convert = (value: Json) => Json

const objectOf = (value: Json | undefined): JsonObject => (isObject(value) ? value : {})
const listOf = (value: Json | undefined): readonly Json[] => (Array.isArray(value) ? value : [])

const each = (object: JsonObject, convert: (value: Json, key: string) => Json): JsonObject =>
  Object.fromEntries(Object.entries(object).map(([key, value]) => [key, convert(value, key)]))

/** The named members that are there, and extensions. */
const kept = (object: JsonObject, names: readonly string[]): JsonObject =>
  Object.fromEntries(Object.entries(object).filter(([name]) => names.includes(name) || name.startsWith('x-')))

/** A member of the result, if the source has one. */
const member = (name: string, value: Json | undefined, convert: (object: JsonObject) => Json): JsonObject =>
  isObject(value) ? { [name]: convert(value) } : {}

/** A section of the result, if the source has one. */
async function section(
  name: string,
  value: Json | undefined,
  slices: Slices,
  convert: (value: Json, key: string) => Json,
): Promise<JsonObject> {
  if (!isObject(value)) return {}
  const result: JsonObject = {}
  await eachInSlices(Object.entries(value), slices, ([key, own]) => set(result, key, convert(own, key)))
  return { [name]: result }
}

/** Where references lead, by where they led in Swagger. */
const places: { readonly [section: string]: string } = {
  '#/definitions/': '#/components/schemas/',
  '#/parameters/': '#/components/parameters/',
  '#/responses/': '#/components/responses/',
}

function reference(target: Json): Json {
  const place = typeof target === 'string' ? Object.keys(places).find((each) => target.includes(each)) : undefined
  if (place === undefined) return target
  const text = String(target)
  return `${places[place]}${text.slice(text.indexOf(place) + place.length)}`
}

/** Keywords of a schema with a schema, schemas by name, or a list of schemas. */
const inner = new Set(['items', 'additionalProperties', 'additionalItems', 'not'])
const byName = new Set(['properties', 'patternProperties'])
const several = new Set(['allOf', 'anyOf', 'oneOf'])

/** A reference has no other members beside it: those are kept around an `allOf`. */
const schema: Convert = (given) => {
  if (Array.isArray(given)) return given.map(schema)
  if (!isObject(given)) return given
  const { $ref, ...others } = given
  const converted = each(others, (value, key) => {
    if (inner.has(key)) return schema(value)
    if (byName.has(key)) return isObject(value) ? each(value, schema) : value
    return several.has(key) ? listOf(value).map(schema) : value
  })
  if ($ref === undefined) return converted
  const target = { $ref: reference($ref) }
  return Object.keys(others).length === 0 ? target : { ...converted, allOf: [target] }
}

/** A parameter that is not the body: its type becomes a schema. */
const parameter: Convert = (given) => {
  const object = objectOf(given)
  if (object['$ref'] !== undefined) return { $ref: reference(object['$ref']) }
  const own = object['schema'] === undefined ? kept(object, ['type', 'format', 'uniqueItems', 'items']) : object['schema']
  return { ...kept(object, ['name', 'description', 'in', 'required', 'allowEmptyValue']), schema: schema(own) }
}

/** Maximum media types of an operation, each of which has a copy of its schemas; built-in ones have up to 7. */
const maxTypes = 16

/** The same schema for each media type. */
function content(types: readonly Json[], own: Json): JsonObject {
  if (types.length > maxTypes) throw new Error(`an operation has more than ${maxTypes} media types`)
  const converted = schema(own)
  return Object.fromEntries(types.map((type) => [String(type), { schema: converted }]))
}

const response =
  (produces: readonly Json[]): Convert =>
  (given) => {
    const object = objectOf(given)
    if (object['$ref'] !== undefined) return { $ref: reference(object['$ref']) }
    return { ...kept(object, ['description']), ...member('content', object['schema'], (own) => content(produces, own)) }
  }

const isBody = (given: Json | undefined): given is JsonObject => isObject(given) && given['in'] === 'body' && isObject(given['schema'])

const sharedParameters = '#/parameters/'

/** The body among parameters, which may be one that operations share. */
function bodyOf(given: Json, shared: JsonObject): JsonObject | undefined {
  const target = isObject(given) ? given['$ref'] : undefined
  const found = typeof target === 'string' && target.startsWith(sharedParameters) ? shared[target.slice(sharedParameters.length)] : given
  return isBody(found) ? found : undefined
}

const operation =
  (shared: JsonObject): Convert =>
  (given) => {
    const { parameters, responses, consumes, produces, ...own } = objectOf(given)
    const body = listOf(parameters)
      .map((each) => bodyOf(each, shared))
      .find((found) => found !== undefined)
    const others = listOf(parameters).filter((each) => bodyOf(each, shared) === undefined)
    const convert = response(listOf(produces))
    return {
      ...kept(own, ['description', 'externalDocs', 'tags', 'summary', 'deprecated', 'operationId']),
      ...(others.length > 0 && { parameters: others.map(parameter) }),
      ...(body !== undefined && { requestBody: { content: content(listOf(consumes), body['schema'] ?? {}) } }),
      responses: each(objectOf(responses), (answer, key) => (key.startsWith('x-') ? answer : convert(answer))),
    }
  }

const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch']

const pathItem =
  (shared: JsonObject): Convert =>
  (given) => {
    const object = objectOf(given)
    const operations = Object.entries(object).filter(([name]) => methods.includes(name))
    const parameters = listOf(object['parameters'])
    return {
      ...kept(object, ['$ref']),
      ...each(Object.fromEntries(operations), operation(shared)),
      ...(parameters.length > 0 && { parameters: parameters.map(parameter) }),
    }
  }

const securityScheme: Convert = (given) => {
  const object = objectOf(given)
  const { flow, authorizationUrl, tokenUrl, scopes } = object
  const urls = { ...(authorizationUrl && { authorizationUrl }), ...(tokenUrl && { tokenUrl }), ...(scopes && { scopes }) }
  return { ...kept(object, ['description', 'type', 'name', 'in']), ...(typeof flow === 'string' && flow && { flows: { [flow]: urls } }) }
}

/**
 * The document in OpenAPI 3.0. Members of unknown shape are left out. Parameters that operations share are kept, unlike in the reference. Depth, and
 * the values of each path and definition, must be bounded. Rejects with an Error when it can't be converted.
 */
export async function convertedToV3(document: JsonObject, slices: Slices): Promise<JsonObject> {
  const { paths, definitions, parameters, responses, securityDefinitions, produces } = document
  const shared = objectOf(parameters)
  const convert = pathItem(shared)
  const others = Object.entries(shared).filter(([, each]) => !isBody(each))
  return {
    openapi: '3.0.0',
    ...kept(document, ['info', 'externalDocs']),
    ...(await section('paths', paths, slices, (item, path) => (path.startsWith('x-') ? item : convert(item)))),
    components: {
      ...(await section('schemas', definitions, slices, schema)),
      ...(others.length > 0 && (await section('parameters', Object.fromEntries(others), slices, parameter))),
      ...(await section('responses', responses, slices, response(listOf(produces)))),
      ...(await section('securitySchemes', securityDefinitions, slices, securityScheme)),
    },
  }
}
