/** The OpenAPI document of the interface, made of its rows. */
import * as z from 'zod/mini'
import { optionDescriptions } from './options.ts'
import { type Row, rows } from './rows.ts'

/** Without the name of the dialect, which the document has for all. */
function schemaOf(schema: z.ZodMiniType, io: 'input' | 'output'): object {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io })
  return rest
}

const parameter = (name: string, place: 'path' | 'query', description: string) => ({
  name,
  in: place,
  description,
  required: place === 'path',
  schema: { type: 'string' },
})

const error = {
  description: 'What is wrong: a Status of Kubernetes (meta/v1).',
  content: {
    'application/json': {
      schema: {
        type: 'object',
        properties: { kind: { const: 'Status' }, code: { type: 'integer' }, reason: { type: 'string' }, message: { type: 'string' } },
      },
    },
  },
}

function operationOf({ path, method, summary, query = {}, body, text, status, answer }: Row): object {
  const last = path.split('/').at(-1) ?? ''
  const parameters = [
    ...(path.includes('{name}') ? [parameter('name', 'path', 'Name of the server.')] : []),
    ...Object.entries(query).map(([name, description]) => parameter(name, 'query', description)),
  ]
  const content = {
    ...(body && { 'application/json': { schema: schemaOf(body, 'input') } }),
    ...(text && { 'application/yaml': { schema: { type: 'string' } } }),
  }
  const answered =
    typeof answer === 'string'
      ? { [answer]: { schema: { type: 'string' } } }
      : { 'application/json': { schema: schemaOf(answer, 'output') } }
  return {
    operationId: `${method.toLowerCase()}_${last.replace(/\W/g, '')}`,
    summary,
    ...(parameters.length > 0 && { parameters }),
    ...(body && { requestBody: { required: true, content } }),
    responses: { [status]: { description: 'Done.', content: answered }, default: error },
  }
}

const optionText = Object.entries(optionDescriptions)
  .map(([name, description]) => `- \`${name}\`: ${description}`)
  .join('\n')

/** `url`: where the interface is. */
export function openApiDocument(url: string, version: string): object {
  const paths: { [path: string]: { [method: string]: object } } = {}
  for (const row of rows) paths[row.path] = { ...paths[row.path], [row.method.toLowerCase()]: operationOf(row) }
  return {
    openapi: '3.1.0',
    info: {
      title: 'apiserver hosts',
      version,
      description: `Many servers in one process, each below /servers/NAME. Options of a new server:\n\n${optionText}\n`,
    },
    servers: [{ url }],
    security: [{ token: [] }],
    components: { securitySchemes: { token: { type: 'http', scheme: 'bearer' } } },
    paths,
  }
}
