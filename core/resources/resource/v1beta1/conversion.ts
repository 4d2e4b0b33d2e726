/** Converts v1beta1, in which devices are wrapped in `basic`, and requests of one class are not wrapped in `exactly`. */

import type { Platform } from '../../../platform.ts'
import { copyOf, givenEmpties, setGivenEmpties } from '../../../schema/json/given-empty.ts'
import { isObject } from '../../../schema/json/is-object.ts'
import type { JsonObject } from '../../../schema/model.ts'
import type { ApiObject, Conversion } from '../../definition.ts'

/** Maps the items of one list of an object; `path` leads to the list. */
function withItems(object: JsonObject, [name = '', ...rest]: readonly string[], change: (item: JsonObject) => JsonObject): JsonObject {
  const value = object[name]
  if (Array.isArray(value)) return Object.assign(copyOf(object), { [name]: value.map((item) => (isObject(item) ? change(item) : item)) })
  return isObject(value) ? Object.assign(copyOf(object), { [name]: withItems(value, rest, change) }) : object
}

/** The object with the lists that were given as empty ones in its parts, which validation refuses. */
function withGivenOf(parts: readonly JsonObject[], object: JsonObject): JsonObject {
  const given: JsonObject = {}
  for (const part of parts) Object.assign(given, givenEmpties(part))
  if (Object.keys(given).length > 0) setGivenEmpties(object, given)
  return object
}

function wrapRequest(request: JsonObject): JsonObject {
  const { name, firstAvailable, ...exactly } = request
  if (exactly['deviceClassName'] === '') delete exactly['deviceClassName']
  return withGivenOf([request], {
    ...(name !== undefined && { name }),
    ...(Object.keys(exactly).length > 0 && { exactly: withGivenOf([request], exactly) }),
    ...(firstAvailable !== undefined && { firstAvailable }),
  })
}

function unwrapRequest({ exactly, ...request }: JsonObject): JsonObject {
  return isObject(exactly) ? { ...request, ...exactly } : request
}

function unwrapDevice({ basic, ...device }: JsonObject): JsonObject {
  return isObject(basic) ? withGivenOf([basic], { ...device, ...basic }) : device
}

function wrapDevice({ name, ...basic }: JsonObject): JsonObject {
  return { ...(name !== undefined && { name }), basic }
}

function conversionOf(
  path: readonly string[],
  toStored: (item: JsonObject) => JsonObject,
  fromStored: (item: JsonObject) => JsonObject,
): Conversion {
  const convert = (change: (item: JsonObject) => JsonObject, version: string) => (object: ApiObject, platform: Platform) => {
    const apiVersion = platform.name(`resource.<domain>/${version}`)
    return { ...(withItems(object as JsonObject, path, change) as unknown as ApiObject), apiVersion }
  }
  return { toStored: convert(toStored, 'v1'), fromStored: convert(fromStored, 'v1beta1') }
}

const requests = ['spec', 'devices', 'requests']

export const claimConversion = conversionOf(requests, wrapRequest, unwrapRequest)
export const templateConversion = conversionOf(['spec', ...requests], wrapRequest, unwrapRequest)
export const sliceConversion = conversionOf(['spec', 'devices'], unwrapDevice, wrapDevice)
