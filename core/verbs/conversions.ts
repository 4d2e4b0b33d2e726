/** Asynchronous conversions for synchronous code: ownership is computed in all versions that managers use. */
import type { MaybePromise } from '../common/maybe-promise.ts'
import type { Context } from '../ports.ts'
import type { ApiObject, Converter, SyncConverter } from '../resources/definition.ts'
import { printJson } from '../schema/json/text.ts'
import type { Json } from '../schema/model.ts'

/** Converts an object; of an asynchronous converter, throws to restart the computation when the result is not known yet. */
export type ConvertNow = SyncConverter['now']

/** A missing conversion. */
class Needed {
  readonly object: ApiObject
  readonly apiVersion: string
  readonly key: string
  constructor(object: ApiObject, apiVersion: string, key: string) {
    this.object = object
    this.apiVersion = apiVersion
    this.key = key
  }
}

/** For what converts nothing, or has one version. */
export const noConversion: ConvertNow = (_object, apiVersion) => {
  throw new Error(`no conversion to ${apiVersion}`)
}

/**
 * Runs a computation that converts objects; without a converter there is one version. If conversions are asynchronous, restarts it after
 * each of them: it must be deterministic and not change its inputs. Fails with the error of a conversion.
 */
export function withConversions<T>(
  converter: Converter | undefined,
  context: Context | undefined,
  compute: (convert: ConvertNow) => T,
): MaybePromise<T> {
  if (converter === undefined) return compute(noConversion)
  if (converter.now) return compute(converter.now)
  return restarted(converter, context, compute)
}

async function restarted<T>(converter: Converter, context: Context | undefined, compute: (convert: ConvertNow) => T): Promise<T> {
  const known = new Map<string, ApiObject>()
  const convert: ConvertNow = (object, apiVersion) => {
    const key = `${apiVersion} ${printJson(object as Json)}`
    const found = known.get(key)
    if (found === undefined) throw new Needed(object, apiVersion, key)
    return found
  }
  for (;;) {
    try {
      return compute(convert)
    } catch (error) {
      if (!(error instanceof Needed)) throw error
      const [converted] = await converter.convert([error.object], error.apiVersion, context)
      known.set(error.key, converted as ApiObject)
    }
  }
}
