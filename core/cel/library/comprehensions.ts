/** Functions behind two-variable macros that create maps. */
import { declare, type FunctionDeclaration } from '../functions.ts'
import { fail } from '../values/errors.ts'
import { formatValue } from '../values/format.ts'
import { getKey, isMap, keysOf } from '../values/maps.ts'
import type { CelMap } from '../values/values.ts'

/** Extends the map in place, because only the macro has access to it. */
function insert(map: CelMap, key: unknown, value: unknown): CelMap {
  if (!map.insert(key, value)) fail(`insert failed: key ${formatValue(key)} already exists`)
  return map
}

function insertAll(map: CelMap, entries: unknown): CelMap {
  if (!isMap(entries)) return fail('no such overload: cel.@mapInsert')
  for (const key of keysOf(entries)) insert(map, key, getKey(entries, key))
  return map
}

export const comprehensionLibrary = (): readonly FunctionDeclaration[] =>
  declare([
    ['@mapInsert_map_key_value', 'cel.@mapInsert(map<K, V>, K, V): map<K, V>', insert],
    ['@mapInsert_map_map', 'cel.@mapInsert(map<K, V>, map<K, V>): map<K, V>', insertAll],
  ])
