/** Reads profiles in pprof's format (profile.proto), as `go tool pprof` does. */
import { BinaryReader, WireType } from '@bufbuild/protobuf/wire'

export interface ReadProfile {
  readonly types: readonly string[]
  /** Names of functions with file and line, the innermost first; a value of each type. */
  readonly samples: readonly { readonly stack: readonly string[]; readonly values: readonly number[] }[]
  readonly period: number
  readonly nanoseconds: number
  readonly preferred: string
}

type Field = number | Uint8Array

/** Fields of a message by number. */
function read(bytes: Uint8Array): ReadonlyMap<number, Field[]> {
  const reader = new BinaryReader(bytes)
  const fields = new Map<number, Field[]>()
  while (reader.pos < reader.len) {
    const [tag, type] = reader.tag()
    const value = type === WireType.Varint ? Number(reader.int64()) : reader.bytes()
    fields.set(tag, [...(fields.get(tag) ?? []), value])
  }
  return fields
}

const numberOf = (fields: ReadonlyMap<number, Field[]>, tag: number) => (fields.get(tag)?.[0] ?? 0) as number
const messages = (fields: ReadonlyMap<number, Field[]>, tag: number) => (fields.get(tag) ?? []).map((each) => read(each as Uint8Array))

function packed(bytes: Uint8Array): number[] {
  const reader = new BinaryReader(bytes)
  const values: number[] = []
  while (reader.pos < reader.len) values.push(Number(reader.int64()))
  return values
}

export async function readProfile(compressed: Uint8Array<ArrayBuffer>): Promise<ReadProfile> {
  const stream = new Blob([compressed]).stream().pipeThrough(new DecompressionStream('gzip'))
  const profile = read(new Uint8Array(await new Response(stream).arrayBuffer()))
  const strings = (profile.get(6) ?? []).map((each) => new TextDecoder().decode(each as Uint8Array))
  const text = (index: number) => strings[index] ?? `no string ${index}`
  const functions = new Map(messages(profile, 5).map((each) => [numberOf(each, 1), each]))
  const locations = new Map(messages(profile, 4).map((each) => [numberOf(each, 1), each]))
  const frame = (id: number) => {
    const [line] = messages(locations.get(id) ?? new Map(), 4)
    const called = functions.get(numberOf(line ?? new Map(), 1)) ?? new Map<number, Field[]>()
    return `${text(numberOf(called, 2))} ${text(numberOf(called, 4))}:${numberOf(line ?? new Map(), 2)}`
  }
  return {
    types: messages(profile, 1).map((each) => `${text(numberOf(each, 1))}/${text(numberOf(each, 2))}`),
    samples: messages(profile, 2).map((each) => ({
      stack: packed((each.get(1)?.[0] ?? new Uint8Array()) as Uint8Array).map(frame),
      values: packed((each.get(2)?.[0] ?? new Uint8Array()) as Uint8Array),
    })),
    period: numberOf(profile, 12),
    nanoseconds: numberOf(profile, 10),
    preferred: text(numberOf(profile, 14)),
  }
}
