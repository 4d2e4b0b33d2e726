/** Encodes items of long lists on another thread, which knows the built-in resources as this one does. */

import { createPlatform, type Platform, type PlatformName } from '../platform.ts'
import type { ItemEncoder, ItemTask, Packed } from '../ports.ts'
import { bind } from '../resources/bind.ts'
import type { ResourceDefinition } from '../resources/definition.ts'
import { builtInResources } from '../resources/group-versions.ts'
import { tableWriter } from '../respond/table.ts'
import { ProtobufEncoder } from '../schema/protobuf.ts'
import { createCodec } from '../storage/codec.ts'
import { Entry } from '../storage/entry.ts'
import { tableRows } from './rows.ts'

/** Undefined: not a built-in one, or not as it was built in. */
function indexOf({ schema, columns }: ResourceDefinition): number | undefined {
  const index = builtInResources.findIndex((row) => row.schema === schema && row.columns === columns)
  return index < 0 ? undefined : index
}

export function protobufTask(definition: ResourceDefinition): ItemTask | undefined {
  const index = indexOf(definition)
  return index === undefined ? undefined : { form: 'protobuf', definition: index }
}

type RowOptions = Pick<ItemTask & { readonly form: 'row' }, 'apiVersion' | 'includeObject' | 'now'>

export function rowTask(definition: ResourceDefinition, { names, domain }: Platform, options: RowOptions): ItemTask | undefined {
  const index = indexOf(definition)
  return index === undefined ? undefined : { form: 'row', definition: index, platform: names, domain, ...options }
}

/** What makes an item of the bytes of a stored object in served form. */
function making(task: ItemTask): (served: Uint8Array) => Uint8Array {
  const builtIn = builtInResources[task.definition] as ResourceDefinition
  if (task.form === 'protobuf') {
    const encoder = new ProtobufEncoder()
    return (served) => encoder.encode(builtIn.schema, served)
  }
  const platform = createPlatform(task.platform as PlatformName, task.domain)
  const definition = bind(builtIn, platform)
  const rows = tableRows(definition, tableWriter(definition, task), task)
  const codec = createCodec(definition)
  // No column depends on the cluster's settings.
  const settings = { allowPrivileged: false, garbageCollection: false, enabled: () => false }
  const context = { platform, settings, now: task.now }
  return (served) => rows(new Entry('', 0, served, codec), context)
}

const valuesOf = ({ bytes, ends }: Packed) => Array.from(ends, (end, index) => bytes.subarray(index > 0 ? ends[index - 1] : 0, end))

function packed(values: readonly (readonly Uint8Array[])[]): Packed {
  const ends = new Uint32Array(values.length)
  let size = 0
  for (const [index, pieces] of values.entries()) {
    for (const { length } of pieces) size += length
    ends[index] = size
  }
  const bytes = new Uint8Array(size)
  let at = 0
  for (const pieces of values)
    for (const piece of pieces) {
      bytes.set(piece, at)
      at += piece.length
    }
  return { bytes, ends }
}

/** The work of the other thread. */
export function encodeItems(task: ItemTask, items: Packed): Packed {
  const make = making(task)
  return packed(valuesOf(items).map((served) => [make(served)]))
}

/** Encodes entries on the other thread. */
export const encodeAway = async (encoder: ItemEncoder, task: ItemTask, entries: readonly Entry[]): Promise<readonly Uint8Array[]> =>
  valuesOf(await encoder.encode(task, packed(entries.map(({ pieces }) => pieces))))
