/** Asynchronous conversions for synchronous code: ownership is computed in all versions that managers use. */
import type { ApiObject, Converter } from '../resources/definition.ts'
import { printJson } from '../schema/json-text.ts'
import type { JsonObject } from '../schema/model.ts'

/** Converts an object; throws to restart the computation when the result is not known yet. */
export type ConvertNow = (object: JsonObject, apiVersion: string) => JsonObject

/** A missing conversion. */
class Needed {
  readonly object: JsonObject
  readonly apiVersion: string
  readonly key: string
  constructor(object: JsonObject, apiVersion: string, key: string) {
    this.object = object
    this.apiVersion = apiVersion
    this.key = key
  }
}

export const noConversion: ConvertNow = (_object, apiVersion) => {
  throw new Error(`no conversion to ${apiVersion}`)
}

/**
 * Runs a computation; restarts it after each missing conversion has been made. It must be deterministic and not change its inputs. Rejects
 * with the error of a conversion.
 */
export async function withConversions<T>(converter: Converter, compute: (convert: ConvertNow) => T): Promise<T> {
  const known = new Map<string, JsonObject>()
  const convert: ConvertNow = (object, apiVersion) => {
    const key = `${apiVersion} ${printJson(object)}`
    const found = known.get(key)
    if (found === undefined) throw new Needed(object, apiVersion, key)
    return found
  }
  for (;;) {
    try {
      return compute(convert)
    } catch (error) {
      if (!(error instanceof Needed)) throw error
      const [converted] = await converter.convert([error.object as ApiObject], error.apiVersion)
      known.set(error.key, converted as JsonObject)
    }
  }
}
