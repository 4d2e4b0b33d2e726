import { badRequest } from '../../answers/status.ts'
import { flag, integer, portNumbers, type Reader, text, texts } from '../../request/query.ts'
import { type ApiObject, apiVersionOf, type Subresource } from '../../resources/definition.ts'
import { canonicalTime } from '../../schema/formats/time.ts'
import { messageOf } from '../../schema/message-of.ts'
import type { Json, Message, Schema } from '../../schema/model.ts'
import type { Target } from '../services.ts'

/** A time in RFC 3339. Throws BadRequest. */
const time: Reader<Json> = ([first = '']) => {
  try {
    return canonicalTime(first, 'time')
  } catch (error) {
    throw badRequest(messageOf(error))
  }
}

const scalars: { readonly [type: string]: Reader<Json> } = { string: text, bool: flag, int32: integer, int64: integer, time }

function readerOf(schema: Schema): Reader<Json> {
  if (schema.type !== 'list') return scalars[schema.type] ?? text
  // The reference has one conversion of parameters to lists of numbers, and lists of ports are the only ones.
  if (schema.items.type === 'int32') return portNumbers
  const item = scalars[schema.items.type] ?? text
  return (values) => texts(values).map((value) => item([value]))
}

/** The path below a proxied object, with a leading slash; a trailing slash is kept. */
function pathBelow({ exchange: { info } }: Target): string {
  const below = info.parts.slice(3).join('/')
  const path = below === '' || below.startsWith('/') ? below : `/${below}`
  return info.path.endsWith('/') && !path.endsWith('/') ? `${path}/` : path
}

/** Options of a connect request, such as PodExecOptions, from its query; the path of a proxy request is that of the URL. Throws 400. */
export function connectOptions(target: Target, subresource: Subresource, group: string, version: string): ApiObject {
  const query = new URLSearchParams(target.exchange.query)
  if (subresource.connects === 'proxy') query.set('path', pathBelow(target))
  const typeMeta = { kind: subresource.kind, apiVersion: apiVersionOf({ group, version }) }
  return { ...typeMeta, ...optionsOf(query, subresource.schema) } as unknown as ApiObject
}

/** The fields of an options message that the query sets. Throws 400. */
export function optionsOf(query: URLSearchParams, message: Message): { readonly [name: string]: Json } {
  const options: { [name: string]: Json } = {}
  for (const [name, { schema, pointer }] of message.json) {
    const values = query.getAll(name)
    if (values.length === 0) continue
    const value = readerOf(schema)(values)
    // Empty fields are omitted, as in every encoding, unless they differ from absent ones.
    if (pointer || (value !== '' && value !== false && value !== 0)) options[name] = value
  }
  return options
}
