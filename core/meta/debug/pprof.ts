/** The format of `go tool pprof`: https://github.com/google/pprof/blob/main/proto/profile.proto, as protobuf and as legacy text. */
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire'
import type { StackFrame, StackProfile } from '../../ports.ts'

/** Numbers things from 1 in the order in which they are first asked for. */
class Numbers<T> {
  readonly #ids = new Map<string, number>()
  readonly all: T[] = []

  of(key: string, value: T): number {
    let id = this.#ids.get(key)
    if (id === undefined) {
      id = this.all.push(value)
      this.#ids.set(key, id)
    }
    return id
  }
}

/** Field numbers of the messages. */
const fields = {
  profile: {
    sampleType: 1,
    sample: 2,
    mapping: 3,
    location: 4,
    function: 5,
    strings: 6,
    time: 9,
    duration: 10,
    periodType: 11,
    period: 12,
    comment: 13,
    defaultType: 14,
  },
  valueType: { type: 1, unit: 2 },
  sample: { locations: 1, values: 2 },
  mapping: { id: 1, file: 5, hasFunctions: 7, hasFiles: 8, hasLines: 9 },
  location: { id: 1, mapping: 2, line: 4 },
  line: { function: 1, line: 2 },
  function: { id: 1, name: 2, systemName: 3, file: 4 },
} as const

/** Encodes a profile, not compressed. `time`: milliseconds since the epoch; `program`: name of what was profiled. */
export function encodeProfile(profile: StackProfile, time: number, program: string): Uint8Array<ArrayBuffer> {
  const writer = new BinaryWriter()
  const strings = new Numbers<string>()
  const text = (value: string) => (value === '' ? 0 : strings.of(value, value))
  const number = (tag: number, value: number) => writer.tag(tag, WireType.Varint).int64(BigInt(Math.round(value)))
  const message = (tag: number, write: () => void) => {
    writer.tag(tag, WireType.LengthDelimited).fork()
    write()
    writer.join()
  }
  const packed = (tag: number, values: readonly number[]) =>
    message(tag, () => {
      for (const value of values) writer.int64(BigInt(Math.round(value)))
    })
  const valueType = (tag: number, { type, unit }: { readonly type: string; readonly unit: string }) =>
    message(tag, () => {
      number(fields.valueType.type, text(type))
      number(fields.valueType.unit, text(unit))
    })

  const functions = new Numbers<StackFrame>()
  const locations = new Numbers<{ readonly function: number; readonly line: number }>()
  const locationOf = (frame: StackFrame) => {
    const id = functions.of(`${frame.name}\n${frame.file}`, frame)
    return locations.of(`${id} ${frame.line}`, { function: id, line: frame.line })
  }

  for (const type of profile.types) valueType(fields.profile.sampleType, type)
  for (const { frames, values } of profile.stacks)
    message(fields.profile.sample, () => {
      packed(fields.sample.locations, frames.map(locationOf))
      packed(fields.sample.values, values)
    })
  message(fields.profile.mapping, () => {
    number(fields.mapping.id, 1)
    number(fields.mapping.file, text(program))
    for (const flag of ['hasFunctions', 'hasFiles', 'hasLines'] as const) number(fields.mapping[flag], 1)
  })
  for (const [index, { function: id, line }] of locations.all.entries())
    message(fields.profile.location, () => {
      number(fields.location.id, index + 1)
      number(fields.location.mapping, 1)
      message(fields.location.line, () => {
        number(fields.line.function, id)
        number(fields.line.line, line)
      })
    })
  for (const [index, { name, file }] of functions.all.entries())
    message(fields.profile.function, () => {
      number(fields.function.id, index + 1)
      number(fields.function.name, text(name))
      number(fields.function.systemName, text(name))
      number(fields.function.file, text(file))
    })
  number(fields.profile.time, time * 1e6)
  if (profile.nanoseconds !== undefined) number(fields.profile.duration, profile.nanoseconds)
  if (profile.period) {
    valueType(fields.profile.periodType, profile.period)
    number(fields.profile.period, profile.period.value)
  }
  const preferred = profile.types.at(-1)
  if (preferred) number(fields.profile.defaultType, text(preferred.type))
  for (const value of ['', ...strings.all]) writer.tag(fields.profile.strings, WireType.LengthDelimited).string(value)
  return writer.finish()
}

/** The profile as text: values of each stack, then its frames. The stacks with the highest values first. */
export function profileText(name: string, { types, stacks }: StackProfile): string {
  const weight = (values: readonly number[]) => values.at(-1) ?? 0
  const sorted = [...stacks].sort((a, b) => weight(b.values) - weight(a.values))
  const totals = types.map((_, index) => stacks.reduce((sum, { values }) => sum + (values[index] ?? 0), 0))
  const lines = [
    `${name} profile: total ${totals.map(Math.round).join(' ')} (${types.map(({ type, unit }) => `${type}/${unit}`).join(' ')})`,
  ]
  for (const { frames, values } of sorted) {
    lines.push(`${values.map(Math.round).join(' ')} @`)
    for (const { name: called, file, line } of frames) lines.push(`#\t${called}${file === '' ? '' : `\t${file}:${line}`}`)
    lines.push('')
  }
  return `${lines.join('\n')}\n`
}
