/** Parameters that many operations of a Swagger 2.0 document share (the reference's builder/parameters.go). */
import type { JsonObject } from '../../schema/model.ts'
import type { Models } from './models.ts'

export interface SharedParameters {
  /** The reference that replaces a parameter; parameters that are never shared are returned as they are. */
  refer(parameter: JsonObject): JsonObject
  /** The parameters that were referred to, by name and sorted. */
  all(): JsonObject
}

/** `name` describes the kind, and kubectl looks for the other two in operations. */
const neverShared: ReadonlySet<string> = new Set(['name', 'fieldValidation', 'dryRun'])

/** Names are made of the parameter's name and a hash of its content, so that they are stable across documents. */
export function createSharedParameters(models: Pick<Models, 'isMachinery'>): SharedParameters {
  const names = new Map<string, string>()
  const shared = new Map<string, JsonObject>()

  const isShared = ({ name, in: place, schema }: JsonObject) =>
    place === 'body' ? models.isMachinery(schema as JsonObject) : !neverShared.has(String(name))

  return {
    refer(parameter) {
      if (!isShared(parameter)) return parameter
      const text = JSON.stringify(parameter)
      const name = names.get(text) ?? `${parameter['name']}-${shortHash(text)}`
      names.set(text, name)
      shared.set(name, parameter)
      return { $ref: `#/parameters/${name}` }
    },
    all: () => Object.fromEntries([...shared].sort(([a], [b]) => (a < b ? -1 : 1))),
  }
}

const encoder = new TextEncoder()
const prime = 0x100000001b3n
const offset = 0xcbf29ce484222325n

/** The first six bytes of the 64-bit FNV-1 hash in URL-safe base64. */
function shortHash(text: string): string {
  let hash = offset
  for (const byte of encoder.encode(text)) hash = BigInt.asUintN(64, hash * prime) ^ BigInt(byte)
  const bytes = [56n, 48n, 40n, 32n, 24n, 16n].map((bits) => Number((hash >> bits) & 0xffn))
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
}
