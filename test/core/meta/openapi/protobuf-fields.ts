/** Reads protobuf messages without their schema. */
import { BinaryReader } from '@bufbuild/protobuf/wire'

/** Length-delimited fields of a message, by number. */
export function fieldsOf(bytes: Uint8Array, number: number): Uint8Array[] {
  const reader = new BinaryReader(bytes)
  const found: Uint8Array[] = []
  while (reader.pos < reader.len) {
    const [tag, type] = reader.tag()
    if (tag === number && type === 2) found.push(reader.bytes())
    else reader.skip(type)
  }
  return found
}

/** The first field at this path of numbers; empty if there is none. */
export const fieldAt = (bytes: Uint8Array, ...path: number[]): Uint8Array =>
  path.reduce((at, number) => fieldsOf(at, number)[0] ?? new Uint8Array(), bytes)

export const textOf = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)
