/** Spans as OTLP's ExportTraceServiceRequest (opentelemetry/proto/trace/v1), with the protobuf wire primitives. */
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire'
import type { Attributes, AttributeValue, HrTime, SpanContext } from '@opentelemetry/api'
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base'

const nanoseconds = 1_000_000_000n
const nanosecondsOf = ([seconds, rest]: HrTime) => BigInt(seconds) * nanoseconds + BigInt(rest)
/** The API counts kinds from 0, OTLP from 1. */
const kindOffset = 1

const bytesOf = (hex: string) => Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))

type Write = (writer: BinaryWriter) => void

/** A field that is a message. */
function message(writer: BinaryWriter, field: number, write: Write): void {
  writer.tag(field, WireType.LengthDelimited).fork()
  write(writer)
  writer.join()
}

const text = (writer: BinaryWriter, field: number, value: string) => writer.tag(field, WireType.LengthDelimited).string(value)
const number = (writer: BinaryWriter, field: number, value: number) => writer.tag(field, WireType.Varint).uint32(value)
const time = (writer: BinaryWriter, field: number, value: HrTime) => writer.tag(field, WireType.Bit64).fixed64(nanosecondsOf(value))
const id = (writer: BinaryWriter, field: number, hex: string) => writer.tag(field, WireType.LengthDelimited).bytes(bytesOf(hex))

/** AnyValue. Lists and absent values do not occur here. */
function value(writer: BinaryWriter, given: AttributeValue | undefined): void {
  if (typeof given === 'string') text(writer, 1, given)
  else if (typeof given === 'boolean') writer.tag(2, WireType.Varint).bool(given)
  else if (Number.isSafeInteger(given)) writer.tag(3, WireType.Varint).int64(given as number)
  else if (typeof given === 'number') writer.tag(4, WireType.Bit64).double(given)
}

function attributes(writer: BinaryWriter, field: number, all: Attributes = {}): void {
  for (const [key, given] of Object.entries(all))
    message(writer, field, (pair) => {
      text(pair, 1, key)
      message(pair, 2, (any) => value(any, given))
    })
}

function place(writer: BinaryWriter, { traceId, spanId }: SpanContext): void {
  id(writer, 1, traceId)
  id(writer, 2, spanId)
}

function span(writer: BinaryWriter, given: ReadableSpan): void {
  const context = given.spanContext()
  place(writer, context)
  if (given.parentSpanContext) id(writer, 4, given.parentSpanContext.spanId)
  text(writer, 5, given.name)
  number(writer, 6, given.kind + kindOffset)
  time(writer, 7, given.startTime)
  time(writer, 8, given.endTime)
  attributes(writer, 9, given.attributes)
  number(writer, 10, given.droppedAttributesCount)
  for (const event of given.events)
    message(writer, 11, (part) => {
      time(part, 1, event.time)
      text(part, 2, event.name)
      attributes(part, 3, event.attributes)
    })
  number(writer, 12, given.droppedEventsCount)
  for (const link of given.links)
    message(writer, 13, (part) => {
      place(part, link.context)
      attributes(part, 4, link.attributes)
    })
  message(writer, 15, (status) => number(status, 3, given.status.code))
  writer.tag(16, WireType.Bit32).fixed32(context.traceFlags)
}

/** `resource`: attributes of this server. `scope`: name of what records the spans. */
export function encodeSpans(spans: readonly ReadableSpan[], resource: Attributes, scope: string): Uint8Array {
  const writer = new BinaryWriter()
  message(writer, 1, (group) => {
    message(group, 1, (about) => attributes(about, 1, resource))
    message(group, 2, (scoped) => {
      message(scoped, 1, (about) => text(about, 1, scope))
      for (const each of spans) message(scoped, 2, (part) => span(part, each))
    })
  })
  return writer.finish()
}
